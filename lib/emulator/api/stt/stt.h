// Transcription: the words of a transcript, and the handlers of stt_routes().
#pragma once

#include "emulator/handler/socket.h"
#include "emulator/json/json.h"
#include "emulator/sound/listener.h"

namespace svc::emulator::stt {

/// A request's options for its text.
struct TranscriptOptions {
  bool filler_words = false;  ///< keep "um" and "uh"
  std::vector<std::string> keyterms{};
};

/// Removes fillers, replaces words that sound like key terms, and writes numbers as digits.
[[nodiscard]] std::vector<speech::SpokenWord> format_words(std::vector<speech::SpokenWord> words,
                                                           const TranscriptOptions& options);

/// Joins the words with spaces; with `sentence`, adds a capital and a full stop.
[[nodiscard]] std::string join_words(const std::vector<speech::SpokenWord>& words, bool sentence);

/// Rounds `value` to a multiple of 1/`parts`: 100 rounds to hundredths.
[[nodiscard]] double rounded_to(double value, double parts);

/// A word as responses contain it; its times are rounded to 1/`parts` of a second.
[[nodiscard]] text::Json word_json(const speech::SpokenWord& word, bool speaker, double parts);

/// What a file and a stream have in common.
struct Settings {
  InputFormat format{};
  speech::ListenerOptions listener{};
  TranscriptOptions options{};
  std::string language{};
  bool formatted = false, multichannel = false;
};

using ErrorMessage = std::optional<std::string>;

/// Each parses one value, or returns what is wrong with it.
[[nodiscard]] ErrorMessage read_flag(sv name, sv value, bool& into);
[[nodiscard]] ErrorMessage read_integer(sv name, sv value, int low, int high, int& into);
[[nodiscard]] ErrorMessage read_fraction(sv name, sv value, double& into);
/// The same for a field of both; others are ignored.
[[nodiscard]] ErrorMessage read_setting(sv name, sv value, Settings& settings);

/// Returns the charge for transcribing this many seconds of audio.
[[nodiscard]] Charge charge_for_sound(double seconds);

/// The streaming transcription socket.
[[nodiscard]] std::variant<std::shared_ptr<SocketSession>, Response> open_stream(
    const Request& request);

}  // namespace svc::emulator::stt
