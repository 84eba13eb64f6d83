// Written words as they are said.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace svc::emulator::speech {

/// `number` in English words: "one hundred and five" is "one hundred five".
[[nodiscard]] std::string number_words(std::uint64_t number);

/// One written word, without blanks, as ASCII for an English speaker. Letters with accents lose
/// them; a word in another script becomes "". With `normalize` numbers, money, units, symbols and
/// abbreviations are written out ("$5.50," is "five dollars and fifty cents,").
[[nodiscard]] std::string spoken_form(std::string_view word, bool normalize);

}  // namespace svc::emulator::speech
