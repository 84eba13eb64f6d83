// When each character of a text is spoken.
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
  double start = 0;  ///< seconds from the begin of the audio
  double end = 0;
};

/// The member `audio_timestamps` of an answer: times as objects {start, end} or as arrays
/// [start, end]; null and missing are not times. Network when it is something else.
[[nodiscard]] Result<std::vector<CharTime>> read_char_times(std::string_view json);

/// What an answer says of its audio.
struct TimedSpeech {
  std::optional<double> seconds{};
  std::vector<CharTime> times{};
};

/// An answer with times, in pieces, as they arrive. Its audio is handed on; only the rest is kept,
/// for which the answer must be JSON (json/text.h).
class TimedSpeechReader {
 public:
  using Sink = std::function<Result<void>(std::string_view audio)>;
  explicit TimedSpeechReader(Sink sink) : m_sink(std::move(sink)) {}

  /// Network when the audio is not base64 or the rest is too large; else what the sink returns.
  [[nodiscard]] Result<void> feed(std::string_view bytes);

  /// The answer without its audio.
  [[nodiscard]] const std::string& rest() const noexcept { return m_rest; }

  /// After the last piece: what the rest says. Network when there was no audio.
  [[nodiscard]] Result<TimedSpeech> finish() const;

 private:
  enum class Place : std::uint8_t { Outside, Text, Audio };
  [[nodiscard]] Result<std::size_t> step(std::string_view bytes);
  void structure(char c);
  [[nodiscard]] std::size_t text(std::string_view bytes);
  [[nodiscard]] Result<std::size_t> audio(std::string_view bytes);
  [[nodiscard]] Result<void> decode(bool whole);

  Sink m_sink;
  std::string m_rest{};
  std::string m_base64{};  ///< not decoded yet
  std::string m_name{};    ///< of the newest member of the answer itself
  Place m_place = Place::Outside;
  int m_depth = 0;
  bool m_naming = false;    ///< a string that begins here names a member of the answer itself
  bool m_named = false;     ///< the string that is being read does
  bool m_escaped = false;   ///< the next character is
  bool m_is_audio = false;  ///< a string that begins here is the audio
  bool m_found = false;
  bool m_padded = false;  ///< base64 has ended
};

/// Times as the members of "graph_chars" and "graph_times" in the documented form, each list's
/// without its brackets; nothing for none.
struct CharTimesJson {
  std::string chars{};
  std::string spans{};
};
[[nodiscard]] CharTimesJson char_times_json(const std::vector<CharTime>& times);

/// The words with their times, for subtitles: the service's tags are not among them.
[[nodiscard]] Transcript spoken_words(const std::vector<CharTime>& times);

}  // namespace svc::voice
