// Runs `stt live`: sends audio from a source to the service, and passes its events to the view.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audio/source.h"
#include "base/result.h"
#include "commands/stt/live_view.h"
#include "live/live_channel.h"
#include "session/session.h"
#include "terminal/key_input.h"
#include "voice/live_transcript.h"
#include "voice/upstream_audio.h"

namespace svc::cli {

inline constexpr std::size_t k_stt_most_kept = 32U << 20U;  ///< bytes: 17 minutes at 16 kHz

struct SttLivePlan {
  LivePlan live{};
  std::chrono::milliseconds idle{300'000};  ///< --idle-timeout
  audio::Encoding encoding = audio::Encoding::Pcm;
  int channels = 1;      ///< transcribed separately
  bool interim = false;  ///< show interim results
  bool raw = false;      ///< the audio must be headerless
  bool waits = false;    ///< the source can be paused: a file or a pipe, not a device
};

class SttLiveRun {
 public:
  SttLiveRun(Session& session, SttLivePlan plan, std::unique_ptr<audio::Source> source,
             SttLiveView& view, KeyInput& keys, SttControl& control);

  /// Runs until the source has ended, or the user stops it, and the transcript is complete. The
  /// transcript is printed in any case.
  [[nodiscard]] Result<void> run();

 private:
  using Clock = LiveChannel::Clock;
  enum class Phase : std::uint8_t {
    Greeting,  ///< connected; the service is not ready for audio yet
    Speaking,
    Finishing,  ///< all audio was sent, and the service was told so
    Lost,       ///< disconnected; a reconnect is scheduled
    Over,
  };

  Result<void> step();
  Result<void> capture();
  void feed();
  [[nodiscard]] Result<websocket::Received> wait();
  [[nodiscard]] std::optional<Clock::time_point> deadline() const;
  [[nodiscard]] bool wants_sound() const;
  Result<void> on_time();
  void on_input();
  void on_key(char key);
  void adjust(char key);
  void finalize(std::optional<int> channel);
  void end_input(const char* again);
  Result<void> on_message(const std::string& text);
  Result<void> on_closed(const websocket::Close& close);
  void begin_connection(std::uint64_t position);
  Result<void> resume();
  [[nodiscard]] Error unfinished() const;
  void tell_lag();
  void draw();
  [[nodiscard]] double seconds(std::uint64_t bytes) const;
  [[nodiscard]] std::uint64_t position(double at) const;

  Session& m_session;
  SttLivePlan m_plan;
  std::unique_ptr<audio::Source> m_source;
  SttLiveView& m_view;
  KeyInput& m_keys;
  SttControl& m_control;
  LiveChannel m_live;
  voice::LiveTranscript m_transcript;
  voice::ReplayBuffer m_keep;
  std::chrono::milliseconds m_finishing;  ///< timeout of each event while finishing
  std::size_t m_frame;                    ///< bytes per tenth of a second
  std::size_t m_second;                   ///< bytes per second
  Phase m_phase = Phase::Greeting;
  Clock::time_point m_since{};  ///< time of the last event, while finishing
  Clock::time_point m_begin{};
  Clock::time_point m_drawn{};
  std::uint64_t m_sent = 0;  ///< position after the audio sent on this connection
  bool m_full = false;       ///< the channel accepts no more for now
  bool m_started = false;    ///< the source was started
  bool m_ending = false;     ///< no more audio is captured
  std::optional<Error> m_source_error{};
  Clock::time_point m_captured{};  ///< end of the newest block
  Clock::duration m_lag_most{};    ///< from there until its frame was passed to the socket
  Clock::duration m_lag_sum{};
  int m_frames = 0;
  std::optional<Clock::time_point> m_renew{};  ///< when changed settings take effect
};

}  // namespace svc::cli
