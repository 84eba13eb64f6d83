// The output of `stt live`: final text on standard output, interim text below it.
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

/// The time since the beginning, in minutes and seconds: "12:05".
[[nodiscard]] std::string stt_clock_text(std::chrono::milliseconds elapsed);

class SttLiveView {
 public:
  /// `keys`: whether keys work and are shown.
  SttLiveView(Session& session, voice::TranscriptFormat format, std::size_t channels, bool keys);

  /// Whether interim text can be shown: text format on a terminal.
  [[nodiscard]] static bool shows_interim(Session& session, voice::TranscriptFormat format);

  /// Prints an event as received (jsonl and raw).
  Result<void> message(const std::string& text);
  Result<void> utterance(const voice::Transcript& utterance);
  /// Whether draw() shows anything.
  [[nodiscard]] bool is_live() const noexcept { return m_live.enabled(); }
  /// Draws the interim text and the audio level.
  void draw(const voice::LiveTranscript& transcript, audio::Level level,
            std::chrono::milliseconds elapsed);
  void note(const std::string& text);
  void warning(const std::string& text);
  /// Finishes the output, even if the transcript is incomplete.
  Result<void> finish(const voice::LiveTranscript& transcript);

 private:
  Session& m_session;
  voice::TranscriptFormat m_format;
  voice::TranscriptWriter m_writer;
  print::LiveText m_live;
  bool m_keys;
  bool m_finished = false;
};

// Commands for a running `stt live`: JSON Lines on a descriptor, or SIGUSR1.

/// A command: end the utterance, of one channel or of all, or end the input.
struct SttCommand {
  enum class Kind : std::uint8_t { Finalize, End };
  Kind kind = Kind::Finalize;
  std::optional<int> channel{};
};

/// Parses `{"type":"finalize"}`, with `"channel":1` if there are several, or
/// `{"type":"audio.done"}`, the service's own events. Usage if the line is invalid.
[[nodiscard]] Result<SttCommand> read_stt_command(const std::string& line, int channels);

class SttControl {
 public:
  /// `fd` is an inherited descriptor, or -1. Usage if it cannot be read.
  [[nodiscard]] static Result<void> check(int fd);
  explicit SttControl(int fd);

  /// The descriptors to wait for.
  [[nodiscard]] std::vector<int> descriptors() const { return {m_fd, m_signal.descriptor()}; }
  /// The commands since the last call, in order; never waits.
  [[nodiscard]] std::vector<Result<SttCommand>> read(int channels);

 private:
  void read_lines(int channels, std::vector<Result<SttCommand>>& commands);

  int m_fd;
  std::string m_rest{};  ///< an incomplete line
  SignalWatch m_signal;
};

}  // namespace svc::cli
