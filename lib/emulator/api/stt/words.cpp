#include "emulator/api/stt/words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/account/models.h"
#include "emulator/sound/spoken_form.h"

namespace svc::emulator::stt {
namespace {

using speech::SpokenWord;
using Words = std::vector<SpokenWord>;

constexpr std::array<sv, 7> k_fillers = {"um", "uh", "er", "hm", "hmm", "mhm", "ah"};

bool is_filler(const SpokenWord& word) {
  return std::ranges::find(k_fillers, sv(word.text)) != k_fillers.end();
}

// Merges `count` words from `first` into one.
void merge(Words& words, std::size_t first, std::size_t count, std::string text) {
  SpokenWord& whole = words[first];
  for (std::size_t i = 1; i < count; ++i) {
    whole.confidence = std::min(whole.confidence, words[first + i].confidence);
  }
  whole.end = words[first + count - 1].end;
  whole.text = std::move(text);
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(first) + 1;
  words.erase(begin, begin + static_cast<std::ptrdiff_t>(count) - 1);
}

// --- terms -----------------------------------------------------------------------------------

// Classes of letters that sound alike, from a to z; vowels matter only at the start.
char sound_of(char c) {
  constexpr sv k_sound_classes = "-bkd-fk--kklmm-bkrsd-f-k-s";
  const char sound =
      c >= 'a' && c <= 'z' ? k_sound_classes[static_cast<std::size_t>(c - 'a')] : '-';
  return sound == '-' ? '\0' : sound;
}

// The Levenshtein distance.
std::size_t distance(sv a, sv b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t swap = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
      corner = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, swap});
    }
  }
  return row.back();
}

// Returns only the letters, in lower case.
std::string letters_of(sv text) {
  std::string out;
  for (const char c : to_lower(text)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) out += c;
  }
  return out;
}

// Returns a rough phonetic code: similar words have the same code.
std::string sound_code(sv word) {
  std::string code;
  const std::string letters = letters_of(word);
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const char sound = sound_of(letters[i]);
    if (i == 0 && sound == 0) code += 'a';
    if (sound != 0 && (code.empty() || code.back() != sound)) code += sound;
  }
  return code;
}

// Whether the letters are similar enough to the term: alike in sound, with at least half of the
// letters equal; shorter terms must be more similar.
bool sounds_like(sv recognized, sv term) {
  if (recognized == term) return true;
  const std::size_t longest = std::max(recognized.size(), term.size());
  if (longest < 4) return false;
  const std::size_t letters = distance(recognized, term);
  const std::size_t sounds = distance(sound_code(recognized), sound_code(term));
  return (sounds == 0 && letters * 2 <= longest) || (sounds <= 1 && letters * 3 <= longest);
}

void apply_term(Words& words, const std::string& term) {
  const std::string wanted = letters_of(term);
  if (wanted.empty()) return;
  for (std::size_t first = 0; first < words.size(); ++first) {
    std::string recognized;
    // A term unknown to the recognizer is often recognized as up to three shorter words.
    for (std::size_t count = 1; count <= 3 && first + count <= words.size(); ++count) {
      recognized += letters_of(words[first + count - 1].text);
      if (!sounds_like(recognized, wanted)) continue;
      merge(words, first, count, term);
      break;
    }
  }
}

// --- numbers ---------------------------------------------------------------------------------

struct Number {
  long long value = 0;
  std::size_t words = 0;
};

// Returns the number that starts at `first`; zero words if there is none.
Number read_number(const Words& words, std::size_t first) {
  Number out;
  long long part = 0;  // below a thousand
  bool may_unit = true;
  bool may_ten = true;
  for (std::size_t at = first; at < words.size(); ++at) {
    const sv word = words[at].text;
    const auto* const unit = std::ranges::find(speech::k_units, word);
    const auto* const ten = std::ranges::find(speech::k_tens, word);
    if (unit != speech::k_units.end() && may_unit) {
      const auto value = unit - speech::k_units.begin();
      if (value >= 10 && !may_ten) break;
      part += value;
      may_unit = false;
      may_ten = false;
    } else if (ten != speech::k_tens.end() && may_ten) {
      part += (ten - speech::k_tens.begin() + 2) * 10;
      may_ten = false;
    } else if (word == "hundred" && part > 0 && part < 100) {
      part *= 100;
      may_unit = may_ten = true;
    } else if ((word == "thousand" || word == "million") && part > 0) {
      out.value = (out.value + part) * (word == "thousand" ? 1000 : 1'000'000);
      part = 0;
      may_unit = may_ten = true;
    } else {
      break;
    }
    out.words = at + 1 - first;
  }
  out.value += part;
  return out;
}

// Applies the word after a number: "percent" appends "%".
std::optional<std::string> with_unit(long long value, sv unit) {
  const std::string number = std::to_string(value);
  if (unit == "percent") return number + "%";
  if (unit == "dollar" || unit == "dollars") return "$" + number;
  if (unit == "euro" || unit == "euros") return "\xe2\x82\xac" + number;
  if (unit == "pounds") return "\xc2\xa3" + number;
  if (unit == "kilometers") return number + " km";
  if (unit == "kilograms") return number + " kg";
  return std::nullopt;
}

void write_numbers(Words& words) {
  for (std::size_t first = 0; first < words.size(); ++first) {
    const Number number = read_number(words, first);
    if (number.words == 0) continue;
    const std::size_t next = first + number.words;
    const auto united = next < words.size() ? with_unit(number.value, words[next].text)
                                            : std::optional<std::string>();
    // A single "one" is rarely a number.
    if (!united && number.words == 1 && number.value < 10) continue;
    merge(words, first, number.words + (united ? 1 : 0),
          united.value_or(std::to_string(number.value)));
  }
}

constexpr std::array<std::int64_t, 6> k_sample_rates = {8000, 16000, 22050, 24000, 44100, 48000};
// Languages with number formatting.
constexpr std::array<sv, 25> k_formatted = {"ar", "cs", "da", "nl", "en", "fil", "fr", "de", "hi",
                                            "id", "it", "ja", "ko", "mk", "ms",  "fa", "pl", "pt",
                                            "ro", "ru", "es", "sv", "th", "tr",  "vi"};

}  // namespace

std::vector<SpokenWord> format_words(std::vector<SpokenWord> words,
                                     const TranscriptOptions& options) {
  if (!options.filler_words) std::erase_if(words, is_filler);
  for (const std::string& term : options.keyterms) apply_term(words, term);
  if (options.written_numbers) write_numbers(words);
  return words;
}

std::string join_words(const std::vector<SpokenWord>& words, bool sentence) {
  std::string text;
  for (const SpokenWord& word : words) {
    if (!text.empty()) text += ' ';
    text += word.text == "i" && sentence ? "I" : word.text;
  }
  if (!sentence || text.empty()) return text;
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text + '.';
}

double rounded_to(double value, double parts) {
  return std::round(value * parts) / parts;
}

text::Json word_json(const SpokenWord& word, bool speaker, double parts) {
  text::Json out = {{"text", word.text},
                    {"start", rounded_to(word.start, parts)},
                    {"end", rounded_to(word.end, parts)}};
  if (const double sure = rounded_to(word.confidence, parts); sure > 0) out["confidence"] = sure;
  if (speaker) out["speaker"] = word.speaker;
  return out;
}

ErrorMessage read_flag(sv name, sv value, bool& into) {
  if (value != "true" && value != "false") {
    return fmt::format("{} must be true or false, not '{}'.", name, shown(value, 40));
  }
  into = value == "true";
  return std::nullopt;
}

ErrorMessage read_integer(sv name, sv value, int low, int high, int& into) {
  const auto number = parse_integer(value);
  if (!number || *number < low || *number > high) {
    return fmt::format("{} must be a whole number from {} to {}, not '{}'.", name, low, high,
                       shown(value, 40));
  }
  into = static_cast<int>(*number);
  return std::nullopt;
}

ErrorMessage read_fraction(sv name, sv value, double& into) {
  const auto number = parse_number(value);
  if (!number || *number < 0 || *number > 1) {
    return fmt::format("{} must be a number from 0.0 to 1.0, not '{}'.", name, shown(value, 40));
  }
  into = *number;
  return std::nullopt;
}

ErrorMessage read_rate(sv value, int& into) {
  const auto number = parse_integer(value);
  if (!number || std::ranges::find(k_sample_rates, *number) == k_sample_rates.end()) {
    return fmt::format("sample_rate must be one of {}, not '{}'.", fmt::join(k_sample_rates, ", "),
                       shown(value, 40));
  }
  into = static_cast<int>(*number);
  return std::nullopt;
}

ErrorMessage add_keyterm(sv term, TranscriptOptions& options) {
  if (options.keyterms.size() >= k_max_keyterms) {
    return fmt::format("At most {} keyterms are allowed.", k_max_keyterms);
  }
  if (trim(term).empty()) return "A keyterm must not be empty.";
  if (count_code_points(term) > k_max_keyterm) {
    return fmt::format("A keyterm has at most {} characters: '{}' is longer.", k_max_keyterm,
                       shown(term, 40));
  }
  options.keyterms.emplace_back(term);
  return std::nullopt;
}

ErrorMessage check_language(sv language) {
  const sv primary = language.substr(0, language.find('-'));
  const bool letters = std::ranges::all_of(language, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-';
  });
  const bool is_code = letters && (primary.size() == 2 || primary.size() == 3);
  if (is_code && !equals_ignore_case(language, "auto")) return std::nullopt;
  return fmt::format("language must be a code such as en or fr, not '{}'.", shown(language, 40));
}

bool can_format(sv language) {
  const std::string primary = to_lower(language.substr(0, language.find('-')));
  return std::ranges::find(k_formatted, sv(primary)) != k_formatted.end();
}

Charge charge_for_sound(double seconds) {
  return charge_for(k_transcribed_second, static_cast<std::int64_t>(std::ceil(seconds)));
}

}  // namespace svc::emulator::stt
