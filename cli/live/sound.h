// Speech that is played while it arrives, with keys: space: pause, q: stop.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "audio/format.h"
#include "audio/sink.h"
#include "base/result.h"
#include "client/api_client.h"
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

// What the commands of sound and speech share.

/// `svc sound devices` and --list-devices: a table, or JSON.
[[nodiscard]] Result<void> print_devices(Session& session);

/// What --input-device or the profile names, as open_microphone() takes it; empty: the default.
[[nodiscard]] std::string wanted_input(const Session& session);
/// The same for --output-device and open_speaker().
[[nodiscard]] std::string wanted_output(const Session& session);

/// A bar of how loud it is, from -50 dB to full scale.
[[nodiscard]] std::string level_meter(audio::Level level, bool utf8, int cells = 12);

/// The client's time limits; long texts and recordings may be worked on for 15 minutes before a
/// byte arrives, unless the user has set another --idle-timeout.
[[nodiscard]] http::Timeouts speech_timeouts(const Session& session, const ApiClient& client);

}  // namespace svc::cli
