// `stt live` at work: sound from a source to the service's socket, its messages to the view.
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
  int channels = 1;      ///< that are transcribed each by itself
  bool interim = false;  ///< the service tells what it hears in between
  bool raw = false;      ///< the sound is headerless, and what is not would be noise
  bool waits = false;    ///< the source can wait: a file or a pipe, not a device
};

class SttLiveRun {
 public:
  SttLiveRun(Session& session, SttLivePlan plan, std::unique_ptr<audio::Source> source,
             SttLiveView& view, KeyInput& keys, SttControl& control);

  /// Until the source has ended, or somebody asks for the end, and everything
  /// is transcribed. What was said is printed however it ends.
  [[nodiscard]] Result<void> run();

 private:
  using Clock = LiveChannel::Clock;
  enum class Phase : std::uint8_t {
    Greeting,  ///< connected; audio may not be sent yet
    Speaking,
    Finishing,  ///< all audio is sent, and the service knows it
    Lost,       ///< no connection; there will be an attempt
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
  std::chrono::milliseconds m_finishing;  ///< how long each of the last messages may take
  std::size_t m_frame;                    ///< bytes of a tenth of a second
  std::size_t m_second;                   ///< bytes of a second
  Phase m_phase = Phase::Greeting;
  Clock::time_point m_since{};  ///< of the last message, while finishing
  Clock::time_point m_begin{};
  Clock::time_point m_drawn{};
  std::uint64_t m_sent = 0;  ///< position behind what was sent on this connection
  bool m_full = false;       ///< the channel took no more
  bool m_started = false;    ///< the source
  bool m_ending = false;     ///< nothing more is captured
  std::optional<Error> m_source_error{};
  Clock::time_point m_captured{};  ///< when the last block ended
  Clock::duration m_lag_most{};    ///< from there until its frame was handed to the socket
  Clock::duration m_lag_sum{};
  int m_frames = 0;
  std::optional<Clock::time_point> m_renew{};  ///< when changed settings take effect
};

}  // namespace svc::cli
