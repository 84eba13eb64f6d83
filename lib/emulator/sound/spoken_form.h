// Converts written words to spoken form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace svc::emulator::speech {

/// Returns `number` in English words: "one hundred five" for 105.
[[nodiscard]] std::string number_words(std::uint64_t number);

/// Converts one written word, without spaces, to ASCII for an English speaker. Accents are removed;
/// a word in another script becomes "". With `normalize`, numbers, money, units, symbols and
/// abbreviations are written out ("$5.50," becomes "five dollars and fifty cents,").
[[nodiscard]] std::string spoken_form(std::string_view word, bool normalize);

}  // namespace svc::emulator::speech
