// From what the recognizer heard to what the answer says: fillers, terms, written numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/handler/handler.h"
#include "emulator/json/json.h"
#include "emulator/sound/listener.h"
#include "emulator/sound/sound_source.h"

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

/// To so many parts of one: 100 are hundredths.
[[nodiscard]] double rounded_to(double value, double parts);

/// A word as answers show it, its times in so many parts of a second.
[[nodiscard]] text::Json word_json(const speech::SpokenWord& word, bool speaker, double parts);

using Complaint = std::optional<std::string>;

/// Each reads one value, or says what is wrong with it.
[[nodiscard]] Complaint read_flag(std::string_view name, std::string_view value, bool& into);
[[nodiscard]] Complaint read_whole(std::string_view name, std::string_view value, std::int64_t low,
                                   std::int64_t high, std::int64_t& into);
[[nodiscard]] Complaint read_share(std::string_view name, std::string_view value, double& into);
[[nodiscard]] Complaint read_rate(std::string_view value, int& into);
[[nodiscard]] Complaint add_keyterm(std::string_view term, Wishes& wishes);

/// A code such as "en" or "pt-BR"; `auto` is not one of them.
[[nodiscard]] Complaint check_language(std::string_view language);

/// Does formatting work for that language?
[[nodiscard]] bool can_format(std::string_view language);

/// The price of a number of seconds of audio, transcribed.
[[nodiscard]] std::vector<Charge> charges_for_sound(double seconds);

}  // namespace svc::emulator::stt
