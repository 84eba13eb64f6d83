// When each character of a text is spoken.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "voice/transcript.h"

namespace svc::voice {

struct CharTime {
  std::string text{};
  double start = 0;  ///< seconds from the begin of the audio
  double end = 0;
};

/// The member `audio_timestamps` of an answer: times as objects {start, end} or as arrays
/// [start, end]; null and missing are no times. Network when it is something else.
[[nodiscard]] Result<std::vector<CharTime>> read_char_times(std::string_view json);

/// An answer with times: audio, and what is told of it.
struct TimedSpeech {
  std::string audio{};
  std::optional<double> seconds{};
  std::vector<CharTime> times{};
};

/// Reads such an answer, which must be JSON (json/text.h). Network when it holds no audio, or
/// none that can be read.
[[nodiscard]] Result<TimedSpeech> read_timed_speech(std::string_view body);

/// Adds `more`, which begins `offset` seconds later.
void append_char_times(std::vector<CharTime>& times, const std::vector<CharTime>& more,
                       double offset);

/// {"duration", "audio_timestamps": {"graph_chars", "graph_times"}}, in the documented form.
[[nodiscard]] std::string char_times_json(const std::vector<CharTime>& times, double duration);

/// The words with their times, for subtitles: the service's tags are not among them.
[[nodiscard]] Transcript spoken_words(const std::vector<CharTime>& times);

}  // namespace svc::voice
