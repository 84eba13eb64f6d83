// Converts recognized words to the transcript: fillers, key terms, written numbers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/handler/handler.h"
#include "emulator/json/json.h"
#include "emulator/sound/listener.h"
#include "emulator/sound/sound_source.h"

namespace svc::emulator::stt {

/// A request's options for its text.
struct Wishes {
  bool filler_words = false;     ///< keep "um" and "uh"
  bool written_numbers = false;  ///< write "twenty five percent" as "25%"
  std::vector<std::string> keyterms{};
};

inline constexpr std::size_t k_most_keyterms = 100;
inline constexpr std::size_t k_longest_keyterm = 50;  ///< characters

/// Removes fillers, replaces words that sound like key terms, and writes numbers as digits.
[[nodiscard]] std::vector<speech::SpokenWord> polish(std::vector<speech::SpokenWord> words,
                                                     const Wishes& wishes);

/// Joins the words with spaces; with `sentence`, adds a capital and a full stop.
[[nodiscard]] std::string join_words(const std::vector<speech::SpokenWord>& words, bool sentence);

/// Rounds `value` to a multiple of 1/`parts`: 100 rounds to hundredths.
[[nodiscard]] double rounded_to(double value, double parts);

/// A word as responses contain it; its times are rounded to 1/`parts` of a second.
[[nodiscard]] text::Json word_json(const speech::SpokenWord& word, bool speaker, double parts);

using Complaint = std::optional<std::string>;

/// Each parses one value, or returns what is wrong with it.
[[nodiscard]] Complaint read_flag(std::string_view name, std::string_view value, bool& into);
[[nodiscard]] Complaint read_whole(std::string_view name, std::string_view value, int low, int high,
                                   int& into);
[[nodiscard]] Complaint read_share(std::string_view name, std::string_view value, double& into);
[[nodiscard]] Complaint read_rate(std::string_view value, int& into);
[[nodiscard]] Complaint add_keyterm(std::string_view term, Wishes& wishes);

/// A code such as "en" or "pt-BR", but not `auto`.
[[nodiscard]] Complaint check_language(std::string_view language);

/// Whether formatting is supported for that language.
[[nodiscard]] bool can_format(std::string_view language);

/// Returns the charge for transcribing this many seconds of audio.
[[nodiscard]] Charge charge_for_sound(double seconds);

}  // namespace svc::emulator::stt
