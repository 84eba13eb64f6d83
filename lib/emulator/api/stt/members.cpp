#include "emulator/api/stt/members.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"

namespace svc::emulator::stt {
namespace {

constexpr std::array<std::int64_t, 6> k_sound_rates = {8000, 16000, 22050, 24000, 44100, 48000};
// The languages whose numbers are formatted.
constexpr std::array<sv, 25> k_formatted = {"ar", "cs", "da", "nl", "en", "fil", "fr", "de", "hi",
                                            "id", "it", "ja", "ko", "mk", "ms",  "fa", "pl", "pt",
                                            "ro", "ru", "es", "sv", "th", "tr",  "vi"};
// The service's prices are not published: the emulator's is a dollar for ten hours.
constexpr std::int64_t k_ticks_per_second = 277'778;

std::string shown_value(sv value) {
  return visible(excerpt(value, 40), Lines::Escape);
}

}  // namespace

Answer refuse_stt(sv sentence) {
  return refuse(400, "Client specified an invalid argument", sentence);
}

Complaint read_flag(sv name, sv value, bool& into) {
  if (value != "true" && value != "false") {
    return fmt::format("{} must be true or false, not '{}'.", name, shown_value(value));
  }
  into = value == "true";
  return std::nullopt;
}

Complaint read_whole(sv name, sv value, std::int64_t low, std::int64_t high, std::int64_t& into) {
  const auto number = parse_integer(value);
  if (!number || *number < low || *number > high) {
    return fmt::format("{} must be a whole number from {} to {}, not '{}'.", name, low, high,
                       shown_value(value));
  }
  into = *number;
  return std::nullopt;
}

Complaint read_share(sv name, sv value, double& into) {
  const auto number = parse_number(value);
  if (!number || *number < 0 || *number > 1) {
    return fmt::format("{} must be a number from 0.0 to 1.0, not '{}'.", name, shown_value(value));
  }
  into = *number;
  return std::nullopt;
}

Complaint read_rate(sv value, int& into) {
  const auto number = parse_integer(value);
  if (!number || std::ranges::find(k_sound_rates, *number) == k_sound_rates.end()) {
    return fmt::format("sample_rate must be one of {}, not '{}'.", fmt::join(k_sound_rates, ", "),
                       shown_value(value));
  }
  into = static_cast<int>(*number);
  return std::nullopt;
}

Complaint add_keyterm(sv term, Wishes& wishes) {
  if (wishes.keyterms.size() >= k_most_keyterms) {
    return fmt::format("At most {} keyterms are allowed.", k_most_keyterms);
  }
  if (trim(term).empty()) return "A keyterm must not be empty.";
  if (count_code_points(term) > k_longest_keyterm) {
    return fmt::format("A keyterm has at most {} characters: '{}' is longer.", k_longest_keyterm,
                       shown_value(term));
  }
  wishes.keyterms.emplace_back(term);
  return std::nullopt;
}

Complaint check_language(sv language) {
  const sv primary = language.substr(0, language.find('-'));
  const bool letters = std::ranges::all_of(language, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-';
  });
  const bool is_code = letters && (primary.size() == 2 || primary.size() == 3);
  if (is_code && !equals_ignore_case(language, "auto")) return std::nullopt;
  return fmt::format("language must be a code such as en or fr, not '{}'.", shown_value(language));
}

bool can_format(sv language) {
  const std::string primary = to_lower(language.substr(0, language.find('-')));
  return std::ranges::find(k_formatted, sv(primary)) != k_formatted.end();
}

std::vector<Charge> charges_for_sound(double seconds) {
  return {{"speech transcription", "second", static_cast<std::int64_t>(std::ceil(seconds)),
           k_ticks_per_second}};
}

}  // namespace svc::emulator::stt
