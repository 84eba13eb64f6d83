// What `stt live` shows: final text on standard output, what is still changing
// below it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "audio/format.h"
#include "base/result.h"
#include "print/live_text.h"
#include "session/session.h"
#include "terminal/signals.h"
#include "voice/live_transcript.h"
#include "voice/transcript.h"

namespace svc::cli {

class SttLiveView {
 public:
  /// `keys`: whether keys work, and are shown.
  SttLiveView(Session& session, voice::TranscriptFormat format, std::size_t channels, bool keys);

  /// Whether what is still changing can be shown: text on a terminal.
  [[nodiscard]] static bool shows_interim(Session& session, voice::TranscriptFormat format);

  /// A message of the service as it came: for jsonl and raw.
  Result<void> message(const std::string& text);
  Result<void> utterance(const voice::Transcript& utterance);
  /// Whether draw() shows anything.
  [[nodiscard]] bool is_live() const noexcept { return m_live.enabled(); }
  /// Draws what is open, and how loud it is.
  void draw(const voice::LiveTranscript& transcript, audio::Level level,
            std::chrono::milliseconds elapsed);
  void note(const std::string& text);
  void warning(const std::string& text);
  /// The end of the output, whole or as far as it came.
  Result<void> finish(const voice::LiveTranscript& transcript);

 private:
  Session& m_session;
  voice::TranscriptFormat m_format;
  voice::TranscriptWriter m_writer;
  print::LiveText m_live;
  bool m_keys;
  bool m_finished = false;
};

// What scripts tell `stt live` while it runs: lines of JSON on a descriptor, or SIGUSR1.

/// What is asked for: the end of an utterance, of one channel or of all, or of the input.
struct SttCommand {
  enum class Kind : std::uint8_t { Finalize, End };
  Kind kind = Kind::Finalize;
  std::optional<int> channel{};
};

/// `{"type":"finalize"}`, with `"channel":1` where there are several, or `{"type":"audio.done"}`:
/// what the service itself takes. Usage with what is wrong.
[[nodiscard]] Result<SttCommand> read_stt_command(const std::string& line, int channels);

class SttControl {
 public:
  /// `fd` is a descriptor that this process was given, or -1. Usage when it cannot be read.
  [[nodiscard]] static Result<void> check(int fd);
  explicit SttControl(int fd);

  /// To wait for.
  [[nodiscard]] std::vector<int> descriptors() const { return {m_fd, m_signal.descriptor()}; }
  /// What came since, in order; never waits.
  [[nodiscard]] std::vector<Result<SttCommand>> read(int channels);

 private:
  void read_lines(int channels, std::vector<Result<SttCommand>>& commands);

  int m_fd;
  std::string m_rest{};  ///< of a line that is not whole
  SignalWatch m_signal;
};

}  // namespace svc::cli
