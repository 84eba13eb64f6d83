// From what the recognizer heard to what the answer says: fillers, terms, written numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "emulator/sound/listener.h"

namespace svc::emulator::stt {

/// What a request wishes for its text.
struct Wishes {
  bool filler_words = false;     ///< keeps "um" and "uh"
  bool written_numbers = false;  ///< "twenty five percent" is "25%"
  std::vector<std::string> keyterms{};
};

inline constexpr std::size_t k_most_keyterms = 100;
inline constexpr std::size_t k_longest_keyterm = 50;  ///< characters

/// Drops fillers, puts terms in place of words that sound like them, and writes numbers.
[[nodiscard]] std::vector<speech::SpokenWord> polish(std::vector<speech::SpokenWord> words,
                                                     const Wishes& wishes);

/// The words with blanks between them; as a sentence (a capital, a full stop) when `sentence`.
[[nodiscard]] std::string join_words(const std::vector<speech::SpokenWord>& words, bool sentence);

/// How a word sounds, roughly: two words that are alike have the same code.
[[nodiscard]] std::string sound_code(std::string_view word);

}  // namespace svc::emulator::stt
