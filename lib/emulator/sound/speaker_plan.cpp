// From a text to phrases.
#include <algorithm>
#include <span>

#include "base/text.h"
#include "emulator/sound/speaker.h"
#include "emulator/sound/spoken_form.h"

namespace svc::emulator::speech {
namespace {

constexpr std::size_t k_longest_phrase = 30;  // words
constexpr std::size_t k_shortest_phrase = 3;  // a shorter sentence is joined to the next
constexpr std::size_t k_quick_phrase = 5;

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

std::vector<Speaker::Word> Speaker::words_of(const Note& note) const {
  std::vector<Word> words;
  const sv text = note.text;
  std::size_t chars = note.first_char;
  for (std::size_t at = 0; at < text.size();) {
    if (is_blank(text[at])) {
      if (text[at] == '\n' && !words.empty()) words.back().ends_phrase = true;
      ++at;
      ++chars;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && !is_blank(text[end])) ++end;
    const sv written = text.substr(at, end - at);
    Word word;
    word.first_char = chars;
    word.chars = count_code_points(written);
    word.key = key_of(written);
    word.spoken = spoken_form(written, m_speech.normalize);
    word.foreign = word.spoken.empty() && has_foreign_letter(written);
    constexpr sv k_ends = ".!?;:";
    const auto last = written.find_last_not_of("\"')]}");
    const char sign = last == sv::npos ? ' ' : written[last];
    word.ends_phrase = k_ends.find(sign) != sv::npos && written.size() > 1 &&
                       !equals_ignore_case(written, "e.g.") &&
                       !equals_ignore_case(written, "i.e.") &&
                       !equals_ignore_case(written, "dr.") && !equals_ignore_case(written, "mr.") &&
                       !equals_ignore_case(written, "mrs.");
    word.may_end_phrase = sign == ',';
    chars += word.chars;
    words.push_back(std::move(word));
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
      words[at].foreign = false;
      at += parts.size() - 1;
    }
  }
}

void Speaker::plan_speech(const Note& note) {
  std::vector<Word> words = words_of(note);
  replace_phrases(words);
  const double all = static_cast<double>(std::max<std::size_t>(1, words.size()));
  std::size_t done = 0;
  Phrase phrase;
  const auto close = [&] {
    if (phrase.words.empty()) return;
    const auto gain_at = [&](std::size_t word) {
      const double part = static_cast<double>(word) / all;
      return note.style.gain_begin + (note.style.gain_end - note.style.gain_begin) * part;
    };
    phrase.style = note.style;
    phrase.style.gain_begin = gain_at(done);
    done += phrase.words.size();
    phrase.style.gain_end = gain_at(done);
    phrase.first_char = phrase.words.front().first_char;
    phrase.chars = phrase.words.back().first_char + phrase.words.back().chars - phrase.first_char;
    m_phrases.push_back(std::exchange(phrase, {}));
  };
  for (const Word& word : words) {
    // What cannot be spoken is a phrase of its own, which is hummed.
    if (!phrase.words.empty() && phrase.words.back().foreign != word.foreign) close();
    phrase.words.push_back(word);
    const std::size_t count = phrase.words.size();
    const bool quick = m_speech.quick_start && m_phrases.empty() &&
                       (count >= k_quick_phrase || (word.may_end_phrase && count > 1));
    if (quick || count >= k_longest_phrase || (word.ends_phrase && count >= k_shortest_phrase)) {
      close();
    }
  }
  close();
}

void Speaker::plan() {
  for (const Note& note : read_score(m_speech.text)) {
    if (note.kind == Note::Kind::Speech) {
      plan_speech(note);
      continue;
    }
    Phrase phrase;
    phrase.kind = note.kind;
    phrase.name = note.text;
    phrase.seconds = note.seconds / m_speech.speed;
    phrase.style = note.style;
    phrase.first_char = note.first_char;
    phrase.chars = note.text.empty() ? 7 : note.text.size() + 2;
    m_phrases.push_back(std::move(phrase));
  }
}

}  // namespace svc::emulator::speech
