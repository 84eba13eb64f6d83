#include "emulator/api/docs/search.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "emulator/api/docs/pages.h"

namespace svc::emulator::docs {
namespace {

constexpr double k_saturation = 1.2;
constexpr double k_length_weight = 0.75;
constexpr int k_heading_weight = 3;  // a word in a heading counts as often
constexpr std::size_t k_excerpt = 240;

struct Section {
  const Page* page = nullptr;
  std::string heading{};
  std::string text{};
  std::map<std::string, int> words{};  ///< how often
  int length = 0;
};

struct Index {
  std::vector<Section> sections{};
  std::map<std::string, int> spread{};  ///< in how many sections a word stands
  double mean_length = 1;
};

// Letters, digits, and the hyphens and underscores inside of names; a plural loses its s.
std::vector<std::string> words_of(sv text) {
  std::vector<std::string> words;
  std::string word;
  const auto finish = [&] {
    while (!word.empty() && (word.back() == '-' || word.back() == '_')) word.pop_back();
    if (word.size() > 3 && word.back() == 's') word.pop_back();
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (const char c : to_lower(text)) {
    const bool letter =
        (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    if (letter || (!word.empty() && (c == '-' || c == '_'))) {
      word += c;
    } else {
      finish();
    }
  }
  finish();
  return words;
}

void add_words(Section& section, sv text, int weight) {
  for (std::string& word : words_of(text)) {
    section.words[std::move(word)] += weight;
    section.length += weight;
  }
}

std::vector<Section> sections_of(const Page& page) {
  std::vector<Section> sections(1);
  for (const sv line : split(page.markdown, '\n')) {
    if (line.starts_with("## ") || line.starts_with("### ")) {
      sections.push_back({.heading = std::string(line.substr(line.find(' ') + 1))});
    } else {
      sections.back().text += std::string(line) + "\n";
    }
  }
  for (Section& section : sections) {
    section.page = &page;
    add_words(section, page.title, 1);
    add_words(section, section.heading, k_heading_weight);
    add_words(section, section.text, 1);
  }
  return sections;
}

Index make_index() {
  Index index;
  double total = 0;
  for (const Page& page : pages()) {
    for (Section& section : sections_of(page)) {
      total += section.length;
      for (const auto& [word, count] : section.words) ++index.spread[word];
      index.sections.push_back(std::move(section));
    }
  }
  if (!index.sections.empty()) {
    index.mean_length = std::max(1.0, total / static_cast<double>(index.sections.size()));
  }
  return index;
}

double score_of(const Index& index, const Section& section, const std::vector<std::string>& words) {
  double score = 0;
  const auto count = static_cast<double>(index.sections.size());
  for (const std::string& word : words) {
    const auto found = section.words.find(word);
    if (found == section.words.end()) continue;
    const double spread = index.spread.at(word);
    const double rarity = std::log(1 + (count - spread + 0.5) / (spread + 0.5));
    const double often = found->second;
    const double length =
        1 - k_length_weight + k_length_weight * section.length / index.mean_length;
    score += rarity * often * (k_saturation + 1) / (often + k_saturation * length);
  }
  return score;
}

// The part around the first line that has one of the words.
std::string excerpt_of(const Section& section, const std::vector<std::string>& words) {
  const auto lines = split(section.text, '\n');
  for (const sv line : lines) {
    const auto in_line = words_of(line);
    const bool has = std::ranges::any_of(words, [&](const std::string& word) {
      return std::ranges::find(in_line, word) != in_line.end();
    });
    if (has && line != "```") return excerpt(line, k_excerpt);
  }
  for (const sv line : lines) {
    if (!trim(line).empty() && line != "```") return excerpt(line, k_excerpt);
  }
  return {};
}

}  // namespace

std::vector<Hit> search_pages(std::string_view query, std::size_t most) {
  static const Index k_index = make_index();
  const auto words = words_of(query);
  std::vector<Hit> hits;
  for (const Section& section : k_index.sections) {
    const double score = score_of(k_index, section, words);
    if (score <= 0) continue;
    hits.push_back({section.page->slug, section.page->title, section.heading,
                    excerpt_of(section, words), score});
  }
  std::ranges::stable_sort(hits, [](const Hit& a, const Hit& b) { return a.score > b.score; });
  if (hits.size() > most) hits.resize(most);
  return hits;
}

}  // namespace svc::emulator::docs
