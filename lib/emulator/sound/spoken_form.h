// Converts written words to spoken form.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace svc::emulator::speech {

/// The words for 0 to 19, and for 20, 30, … 90.
inline constexpr std::array<std::string_view, 20> k_units = {
    "zero",     "one",     "two",     "three",     "four",     "five",    "six",
    "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
inline constexpr std::array<std::string_view, 8> k_tens = {"twenty", "thirty",  "forty",  "fifty",
                                                           "sixty",  "seventy", "eighty", "ninety"};

/// Returns `number` in English words: "one hundred five" for 105.
[[nodiscard]] std::string number_words(std::uint64_t number);

/// Converts one written word, without spaces, to ASCII for an English speaker. Accents are removed;
/// a word in another script becomes "". With `normalize`, numbers, money, units, symbols and
/// abbreviations are written out ("$5.50," becomes "five dollars and fifty cents,").
[[nodiscard]] std::string spoken_form(std::string_view word, bool normalize);

}  // namespace svc::emulator::speech
