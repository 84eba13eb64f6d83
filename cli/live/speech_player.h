// Speech that is played while it arrives, with keys: space pauses, q stops.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "audio/sink.h"
#include "base/result.h"
#include "session/session.h"
#include "terminal/key_input.h"

namespace svc::cli {

/// One thread owns it. Nothing waits but drain(): what the speaker has no room for yet is kept.
class SpeechPlayer {
 public:
  /// The speaker that --output-device or the profile names. Local, with `otherwise` as the hint
  /// where the device itself has none to give.
  [[nodiscard]] static Result<std::unique_ptr<SpeechPlayer>> open(Session& session,
                                                                  const audio::Format& format,
                                                                  const std::string& otherwise);

  /// More to be played, of the format given to open().
  void feed(std::span<const audio::Sample> samples);

  /// Hands the speaker what it has room for, and obeys the keys. To be called some ten times a
  /// second. Local when the speaker has gone.
  [[nodiscard]] Result<void> tick();

  /// Plays what is left. The stop's fault once it asks: the speaker is silent then.
  [[nodiscard]] Result<void> drain();

  /// q was pressed: nothing more is played.
  [[nodiscard]] bool stopped() const noexcept { return m_stopped; }

  /// How much is waiting to be heard.
  [[nodiscard]] std::chrono::milliseconds ahead() const;

 private:
  SpeechPlayer(Session& session, std::unique_ptr<audio::Sink> sink);
  void obey(char key);
  [[nodiscard]] Result<void> hand_over();

  Session& m_session;
  std::unique_ptr<audio::Sink> m_sink;
  KeyInput m_keys;
  std::vector<audio::Sample> m_waiting{};
  std::size_t m_begin = 0;  ///< of what is waiting still
  bool m_stopped = false;
};

}  // namespace svc::cli
