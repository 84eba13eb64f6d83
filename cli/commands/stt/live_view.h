// What `stt live` shows: final text on standard output, what is still changing
// below it.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "audio/format.h"
#include "base/result.h"
#include "print/live_text.h"
#include "session/session.h"
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

}  // namespace svc::cli
