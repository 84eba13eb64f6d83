// Character timings of synthesised speech.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "voice/transcript.h"

namespace svc::voice {

struct CharTime {
  std::string text{};
  double start = 0;  ///< seconds from the start of the audio
  double end = 0;
};

/// Parses `audio_timestamps` of a response: times as objects {start, end} or arrays [start, end].
/// Null and missing yield no times. Fails with Fault::Network for anything else.
[[nodiscard]] Result<std::vector<CharTime>> read_char_times(std::string_view json);

/// A response's metadata about its audio.
struct TimedSpeech {
  std::optional<double> seconds{};
  std::vector<CharTime> times{};
};

/// Parses a response with timings chunk by chunk. Passes the decoded audio to the sink and retains
/// only the rest, which must be JSON (json/text.h).
class TimedSpeechReader {
 public:
  using Sink = std::function<Result<void>(std::string_view audio)>;
  explicit TimedSpeechReader(Sink sink) : m_sink(std::move(sink)) {}

  /// Fails with Fault::Network if the audio is not base64 or the rest is too large; otherwise
  /// returns the sink's result.
  [[nodiscard]] Result<void> feed(std::string_view bytes);

  /// The response without its audio.
  [[nodiscard]] const std::string& rest() const noexcept { return m_rest; }

  /// Call after the last chunk: parses the rest. Fails with Fault::Network if there was no audio.
  [[nodiscard]] Result<TimedSpeech> finish() const;

 private:
  enum class State : std::uint8_t { Outside, Text, Audio };
  [[nodiscard]] Result<std::size_t> step(std::string_view bytes);
  void structure(char c);
  [[nodiscard]] std::size_t text(std::string_view bytes);
  [[nodiscard]] Result<std::size_t> audio(std::string_view bytes);
  [[nodiscard]] Result<void> decode(bool whole);

  Sink m_sink;
  std::string m_rest{};
  std::string m_base64{};  ///< not decoded yet
  std::string m_name{};    ///< name of the last top-level field
  State m_state = State::Outside;
  int m_depth = 0;
  bool m_naming = false;    ///< the next string is the name of a top-level field
  bool m_named = false;     ///< the current string is such a name
  bool m_escaped = false;   ///< the next character is escaped
  bool m_is_audio = false;  ///< the next string is the audio
  bool m_found = false;
  bool m_padded = false;  ///< the base64 padding has been seen
};

/// The values of the documented fields "graph_chars" and "graph_times", each without its brackets;
/// empty if there are none.
struct CharTimesJson {
  std::string chars{};
  std::string spans{};
};
[[nodiscard]] CharTimesJson char_times_json(const std::vector<CharTime>& times);

/// The words with their times, for subtitles, without speech tags.
[[nodiscard]] Transcript spoken_words(const std::vector<CharTime>& times);

}  // namespace svc::voice
