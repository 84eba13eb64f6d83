// From a text to phrases.
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/text.h"
#include "emulator/sound/speaker.h"
#include "emulator/sound/spoken_form.h"

namespace svc::emulator::speech {
namespace {

constexpr std::size_t k_longest_phrase = 30;  // words
constexpr std::size_t k_shortest_phrase = 3;  // a shorter sentence is joined to the next
constexpr std::size_t k_quick_phrase = 5;

constexpr double k_pause = 0.5;  // seconds
constexpr double k_long_pause = 1.2;
constexpr double k_silence_per_char = 0.12;

constexpr std::array<sv, 14> k_inline_tags = {
    "pause", "long-pause", "hum-tune", "laugh",     "chuckle", "giggle", "cry",
    "tsk",   "breath",     "inhale",   "lip-smack", "exhale",  "sigh",   "tongue-click"};
constexpr std::array<sv, 13> k_wrapping_tags = {
    "soft",        "whisper", "loud",      "build-intensity", "decrease-intensity",
    "slow",        "fast",    "sing-song", "higher-pitch",    "lower-pitch",
    "laugh-speak", "singing", "emphasis"};

// The tag that begins at `at`, with its brackets; "" when that is text.
sv tag_at(sv text, std::size_t at) {
  const bool wraps = text[at] == '<';
  if (!wraps && text[at] != '[') return {};
  const std::size_t end = text.find(wraps ? '>' : ']', at);
  if (end == sv::npos) return {};
  sv name = text.substr(at + 1, end - at - 1);
  if (wraps && name.starts_with('/')) name.remove_prefix(1);
  const bool known = wraps ? std::ranges::find(k_wrapping_tags, name) != k_wrapping_tags.end()
                           : std::ranges::find(k_inline_tags, name) != k_inline_tags.end();
  return known ? text.substr(at, end + 1 - at) : sv{};
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

bool has_foreign_letter(sv word) {
  for (std::size_t at = 0; at < word.size();) {
    const char32_t c = decode_utf8(word, at);
    // Above the Latin letters and outside of punctuation and symbols.
    if (c >= 0x250 && !(c >= 0x2000 && c < 0x2c00) && c != 0xfeff) return true;
  }
  return false;
}

// What a replacement is found by: "Foo," is "foo".
std::string key_of(sv word) {
  constexpr sv k_around = "\"'`({[.,:;!?)}]";
  const auto begin = std::min(word.find_first_not_of(k_around), word.size());
  const auto end = word.find_last_not_of(k_around);
  return end == sv::npos || end < begin ? std::string()
                                        : to_lower(word.substr(begin, end + 1 - begin));
}

}  // namespace

Speaker::Word Speaker::word_of(sv written, std::size_t first_char) const {
  constexpr sv k_ends = ".!?;:";
  constexpr std::array<sv, 5> k_abbreviations = {"e.g.", "i.e.", "dr.", "mr.", "mrs."};
  Word word;
  word.first_char = first_char;
  word.chars = count_code_points(written);
  word.key = key_of(written);
  word.spoken = spoken_form(written, m_speech.normalize);
  if (word.spoken.empty() && has_foreign_letter(written)) {
    word.silence = k_silence_per_char * static_cast<double>(word.chars);
  }
  const auto last = written.find_last_not_of("\"')]}");
  const char sign = last == sv::npos ? ' ' : written[last];
  const bool abbreviated =
      std::ranges::find(k_abbreviations, sv(to_lower(written))) != k_abbreviations.end();
  word.ends_phrase = k_ends.find(sign) != sv::npos && written.size() > 1 && !abbreviated;
  word.may_end_phrase = sign == ',';
  return word;
}

std::vector<Speaker::Word> Speaker::words_of(sv text) const {
  std::vector<Word> words;
  std::size_t chars = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (const sv tag = tag_at(text, at); !tag.empty()) {
      if (tag.starts_with('[')) {
        Word pause;
        pause.first_char = chars;
        pause.chars = tag.size();
        pause.silence = tag == "[long-pause]" ? k_long_pause : k_pause;
        words.push_back(std::move(pause));
      }
      at += tag.size();
      chars += tag.size();  // the names are ASCII
      continue;
    }
    if (is_blank(text[at])) {
      if (text[at] == '\n' && !words.empty()) words.back().ends_phrase = true;
      ++at;
      ++chars;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && !is_blank(text[end]) && (end == at || tag_at(text, end).empty())) {
      ++end;
    }
    words.push_back(word_of(text.substr(at, end - at), chars));
    chars += words.back().chars;
    at = end;
  }
  return words;
}

// The first word of a phrase says the replacement, the others say nothing.
void Speaker::replace_phrases(std::vector<Word>& words) const {
  for (const auto& [phrase, said] : m_speech.replace) {
    const std::vector<sv> parts = split(phrase, ' ');
    for (std::size_t at = 0; at + parts.size() <= words.size(); ++at) {
      const bool here =
          std::ranges::equal(parts, std::span(words).subspan(at, parts.size()), {}, {}, &Word::key);
      if (!here) continue;
      for (std::size_t i = 0; i < parts.size(); ++i) words[at + i].spoken.clear();
      words[at].spoken = spoken_form(said, false);
      words[at].silence = 0;
      at += parts.size() - 1;
    }
  }
}

void Speaker::plan() {
  std::vector<Word> words = words_of(m_speech.text);
  replace_phrases(words);
  Phrase phrase;
  const auto close = [&] {
    if (!phrase.empty()) m_phrases.push_back(std::exchange(phrase, {}));
  };
  for (const Word& word : words) {
    if (!phrase.empty() && (phrase.back().silence > 0) != (word.silence > 0)) close();
    phrase.push_back(word);
    const std::size_t count = phrase.size();
    const bool quick = m_speech.quick_start && m_phrases.empty() &&
                       (count >= k_quick_phrase || (word.may_end_phrase && count > 1));
    if (quick || count >= k_longest_phrase || (word.ends_phrase && count >= k_shortest_phrase)) {
      close();
    }
  }
  close();
}

}  // namespace svc::emulator::speech
