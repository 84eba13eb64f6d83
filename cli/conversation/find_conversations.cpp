#include "conversation/find_conversations.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include <fmt/format.h>
#include <utf8proc.h>

#include "base/text.h"

namespace svc::cli {
namespace {

/// A text without differences of case, accents and width.
struct Folded {
  std::string text{};
  std::vector<std::size_t> origins{};  ///< of each byte in the original, and the original's size
};

Folded fold(sv text) {
  Folded folded;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const auto code = static_cast<utf8proc_int32_t>(decode_utf8(text, at));
    std::array<utf8proc_int32_t, 32> codes{};  // more than any character has
    int boundary = 0;
    const auto count = utf8proc_decompose_char(
        code, codes.data(), static_cast<utf8proc_ssize_t>(codes.size()),
        static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD |
                                       UTF8PROC_STRIPMARK),
        &boundary);
    for (utf8proc_ssize_t i = 0; i < count; ++i) {
      std::array<utf8proc_uint8_t, 4> bytes{};
      const auto size = utf8proc_encode_char(codes[static_cast<std::size_t>(i)], bytes.data());
      folded.text.append(bytes.begin(), bytes.begin() + size);
    }
    folded.origins.resize(folded.text.size(), begin);
  }
  folded.origins.push_back(text.size());
  return folded;
}

std::vector<std::string> words_of(sv text) {
  constexpr sv k_wide_space = "\u3000";
  std::string line = replace_all(std::string(text), k_wide_space, " ");
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::vector<std::string> words;
  for (const sv word : split(line, ' ')) {
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

}  // namespace

std::optional<std::string> marked_words(sv text, sv words) {
  const Folded folded = fold(text);
  std::vector<bool> found(text.size(), false);
  const std::vector<std::string> all = words_of(words);
  for (const std::string& one : all) {
    const std::string word = fold(one).text;
    if (word.empty()) continue;
    std::size_t at = folded.text.find(word);
    if (at == std::string::npos) return std::nullopt;
    for (; at != std::string::npos; at = folded.text.find(word, at + word.size())) {
      std::fill(found.begin() + static_cast<std::ptrdiff_t>(folded.origins[at]),
                found.begin() + static_cast<std::ptrdiff_t>(folded.origins[at + word.size()]),
                true);
    }
  }
  if (all.empty()) return std::nullopt;
  std::string marked;
  bool inside = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (found[at] != inside) marked += found[at] ? history::k_found : history::k_end;
    inside = found[at];
    marked += text[at];
  }
  if (inside) marked += history::k_end;
  return marked;
}

std::optional<std::string> excerpt_at(sv text, sv word) {
  constexpr std::size_t k_before = 20;
  constexpr std::size_t k_most = 400;
  const Folded folded = fold(text);
  const std::size_t found = folded.text.find(fold(word).text);
  if (found == std::string::npos) return std::nullopt;
  std::size_t begin = folded.origins[found] - std::min(folded.origins[found], k_before);
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U) --begin;
  const std::string line = excerpt(text.substr(begin), k_most);
  return (begin > 0 ? "…" : "") + join(words_of(line), " ");
}

ConversationFilter::ConversationFilter(const std::vector<history::Conversation>& all,
                                       Containing containing)
    : m_all(all), m_containing(std::move(containing)) {
  for (const history::Conversation& one : m_all) {
    m_labels.push_back(fold(fmt::format("{} {} {}", one.id, one.name, one.title)).text);
  }
}

const std::vector<bool>& ConversationFilter::with(const std::string& word) {
  const auto [known, added] = m_known.try_emplace(word);
  if (!added) return known->second;
  const std::vector<std::int64_t> ids = m_containing(word);
  const std::unordered_set<std::int64_t> said(ids.begin(), ids.end());
  const std::string folded = fold(word).text;
  for (std::size_t i = 0; i < m_all.size(); ++i) {
    known->second.push_back(m_labels[i].find(folded) != std::string::npos ||
                            said.contains(m_all[i].id));
  }
  return known->second;
}

std::string ConversationFilter::word_said(std::size_t item, const std::string& typed) const {
  for (const std::string& word : words_of(typed)) {
    if (m_labels[item].find(fold(word).text) == std::string::npos) return word;
  }
  return {};
}

std::vector<std::size_t> ConversationFilter::matching(const std::string& typed) {
  std::vector<bool> fits(m_all.size(), true);
  for (const std::string& word : words_of(typed)) {
    const std::vector<bool>& one = with(word);
    for (std::size_t i = 0; i < fits.size(); ++i) fits[i] = fits[i] && one[i];
  }
  std::vector<std::size_t> indexes;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    if (fits[i]) indexes.push_back(i);
  }
  const sv exact = trim(typed);
  if (exact.empty()) return indexes;
  std::stable_partition(indexes.begin(), indexes.end(), [&](std::size_t i) {
    return m_all[i].name == exact || fmt::to_string(m_all[i].id) == exact;
  });
  return indexes;
}

}  // namespace svc::cli
