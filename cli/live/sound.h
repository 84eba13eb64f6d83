// Plays speech as it arrives, with keys: space pauses, q stops.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "audio/devices.h"
#include "audio/echo.h"
#include "audio/format.h"
#include "audio/sink.h"
#include "base/result.h"
#include "client/api_client.h"
#include "session/session.h"
#include "terminal/key_input.h"

namespace svc::cli {

/// Owned by one thread. Only drain() blocks: audio that the speaker has no room for is buffered.
class SpeechPlayer {
 public:
  /// Opens the speaker of --output-device or the profile. Fails with Fault::Local, and `otherwise`
  /// as the hint if the device's error has none.
  [[nodiscard]] static Result<std::unique_ptr<SpeechPlayer>> open(Session& session,
                                                                  const audio::Format& format,
                                                                  const std::string& otherwise);

  /// Adds audio to play, in the format passed to open().
  void feed(std::span<const audio::Sample> samples);

  /// Writes as much to the speaker as fits, and handles keys. Call about ten times a second. Fails
  /// with Fault::Local if the speaker has disappeared.
  [[nodiscard]] Result<void> tick();

  /// Plays the rest. Once canceled, silences the speaker and returns the token's error.
  [[nodiscard]] Result<void> drain();

  /// Whether q was pressed, after which nothing more is played.
  [[nodiscard]] bool stopped() const noexcept { return m_stopped; }

  /// The duration of the audio not heard yet.
  [[nodiscard]] std::chrono::milliseconds ahead() const;

 private:
  SpeechPlayer(Session& session, std::unique_ptr<audio::Sink> sink);
  void handle_key(char key);
  [[nodiscard]] Result<void> hand_over();

  Session& m_session;
  std::unique_ptr<audio::Sink> m_sink;
  KeyInput m_keys;
  std::vector<audio::Sample> m_waiting{};
  std::size_t m_begin = 0;  ///< start of the buffered audio
  bool m_stopped = false;
};

// Shared by the commands for sound and speech.

/// Implements `svc sound devices` and --list-devices: prints a table or JSON.
[[nodiscard]] Result<void> print_devices(Session& session);

/// The value of --input-device or the profile, for open_microphone(); empty: the default.
[[nodiscard]] std::string input_device(const Session& session);
/// The value of --output-device or the profile, for open_speaker().
[[nodiscard]] std::string output_device(const Session& session);

/// What --noise-suppression and --gain-control, or the profile, ask for.
[[nodiscard]] audio::Enhancement enhancement(const Session& session);

/// The value of --latency or the profile: low, normal or safe.
[[nodiscard]] std::string latency_name(const Session& session);
[[nodiscard]] audio::Latency latency_of(const Session& session);

/// How much later than its playback an echo arrives with these devices, measured by the last
/// conversation or sound test; nothing if it never was.
[[nodiscard]] std::optional<audio::Milliseconds> known_lag(const audio::Device& input,
                                                           const audio::Device& output);
/// Saves it in the state directory. A failure has no consequences and is not reported.
void remember_lag(const audio::Device& input, const audio::Device& output, audio::Milliseconds lag);

/// A bar that shows a level, from -50 dB to full scale.
[[nodiscard]] std::string level_meter(audio::Level level, bool utf8, int cells = 12);

/// The client's timeouts, with an idle timeout of 15 minutes unless --idle-timeout is set: long
/// texts and recordings may take that long before the first byte.
[[nodiscard]] http::Timeouts speech_timeouts(const Session& session, const ApiClient& client);

}  // namespace svc::cli
