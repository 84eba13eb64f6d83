// One realtime conversation: /v1/realtime.
#pragma once

#include "emulator/api/phone/phone.h"
#include "emulator/api/realtime/response.h"

namespace svc::emulator::realtime {

struct VadEvent {
  bool started = false;    ///< otherwise stopped
  std::int64_t at_ms = 0;  ///< a start includes the padding before it, a stop the silence
};

/// Voice activity detection by energy. Uses positions in the audio, not time: audio sent faster
/// than real time has the same turns.
class EnergyVad {
 public:
  EnergyVad(const TurnDetection& turns, int rate);

  /// Returns the starts and stops in these samples, which continue the previous ones.
  [[nodiscard]] std::vector<VadEvent> feed(std::span<const std::int16_t> samples);

  [[nodiscard]] bool is_speaking() const { return m_speaking; }
  /// Returns the end of the input, in whole frames.
  [[nodiscard]] std::int64_t position_ms() const { return m_frames * k_frame_ms; }

 private:
  static constexpr std::int64_t k_frame_ms = 20;
  [[nodiscard]] std::optional<VadEvent> classify(double loudness);

  TurnDetection m_turns;
  std::size_t m_frame_size;
  double m_sum = 0;  ///< of squares in the incomplete frame
  std::size_t m_filled = 0;
  std::int64_t m_frames = 0;
  std::int64_t m_loud_frames = 0;   ///< consecutive, during silence
  std::int64_t m_quiet_frames = 0;  ///< consecutive, during speech
  bool m_speaking = false;
};

class InputAudio {
 public:
  InputAudio() = default;

  /// Applies the configuration. Returns true if turn detection restarts with an empty buffer.
  bool configure(const SessionConfig& config);

  /// Adds audio; returns the starts and stops in it, by position in the session.
  [[nodiscard]] std::vector<VadEvent> add(const Samples& samples);

  /// Removes and returns the audio between two positions, and drops everything before it.
  [[nodiscard]] Samples take(std::int64_t begin_ms, std::int64_t end_ms);
  /// Removes and returns everything.
  [[nodiscard]] Samples take_all() {
    const std::int64_t end = position_ms();
    m_begin_ms = end;
    return std::exchange(m_samples, {});
  }
  /// Returns a copy of the audio from that position on.
  [[nodiscard]] Samples copy_from(std::int64_t begin_ms) const {
    return {m_samples.begin() + static_cast<std::ptrdiff_t>(index_of(begin_ms)), m_samples.end()};
  }
  void clear() {
    (void)take_all();
    restart_vad();
  }

  [[nodiscard]] bool empty() const { return m_samples.empty(); }
  [[nodiscard]] bool is_full() const;
  /// Returns the end position of the input.
  [[nodiscard]] std::int64_t position_ms() const { return m_begin_ms + buffered_ms(); }

 private:
  [[nodiscard]] std::int64_t buffered_ms() const {
    return milliseconds_of(m_samples.size(), m_format.rate);
  }
  /// Returns the index in m_samples of a position.
  [[nodiscard]] std::size_t index_of(std::int64_t position_ms) const;
  void drop_before(std::int64_t position_ms);
  void restart_vad() {
    m_vad_begin_ms = position_ms();
    m_vad = EnergyVad(m_turns, m_format.rate);
  }

  AudioFormat m_format{};
  TurnDetection m_turns{};
  Samples m_samples{};
  std::int64_t m_begin_ms = 0;      ///< position of the first sample in m_samples
  std::int64_t m_vad_begin_ms = 0;  ///< position where m_vad started
  EnergyVad m_vad{{}, AudioFormat{}.rate};
};

// The caller in a simulated call (api/phone): waits for a greeting, plays the call's WAV
// file, presses keys, and listens until the call ends.

/// The session's callbacks for the caller.
struct CallHandlers {
  std::function<void(const Samples&)> hear;
  std::function<void(char)> key;
  std::function<bool()> is_busy;  ///< whether somebody speaks or an answer is in progress
  std::function<void()> over;     ///< the call was ended or transferred
};

class CallLine {
 public:
  /// The caller's audio has the sample rate `rate`. `state` must outlive it.
  CallLine(phone::PhoneCall call, State& state, std::shared_ptr<SocketPeer> peer, int rate,
           CallHandlers handlers);
  CallLine(const CallLine&) = delete;
  CallLine& operator=(const CallLine&) = delete;
  ~CallLine() { m_peer->cancel_timer(m_timer); }

  void start();

 private:
  enum class Stage : std::uint8_t { Waiting, Choosing, Speaking, Pressing, Listening };
  void wait_for(std::chrono::milliseconds time) {
    m_tick = time;
    m_timer = m_peer->start_timer(time, [this] { tick(); });
  }
  void tick();
  void speak();
  void choose();
  void press();
  [[nodiscard]] bool is_over();

  phone::PhoneCall m_call;
  State& m_state;
  std::shared_ptr<SocketPeer> m_peer;
  CallHandlers m_handlers;
  std::string m_first{};  ///< keys pressed before the caller speaks
  Samples m_speech{};
  int m_rate;
  Stage m_stage = Stage::Waiting;
  bool m_greeted = false;
  std::size_t m_spoken = 0;   ///< samples
  std::size_t m_pressed = 0;  ///< keys
  std::chrono::milliseconds m_waited{0};
  std::chrono::milliseconds m_since_poll{0};
  std::chrono::milliseconds m_tick{0};  ///< delay of the timer
  SocketPeer::TimerId m_timer = 0;
};

/// Timing of a session. Headers of the handshake override it for tests, each in milliseconds:
/// x-emulator-delay-ms (pace), x-emulator-session-limit-ms, x-emulator-idle-limit-ms and
/// x-emulator-ping-ms.
struct RealtimeTiming {
  using Milliseconds = std::chrono::milliseconds;
  Milliseconds pace{10};             ///< after each 100 ms of audio, or five words of text
  Milliseconds limit{120 * 60'000};  ///< of a session
  Milliseconds idle{15 * 60'000};    ///< without a client message; the emulator's own limit
  Milliseconds ping{20'000};         ///< idleness is checked with each ping, too
  Milliseconds keys{2'500};          ///< delay from the last key until DTMF is passed to the model
};

struct SessionParts {
  Request request{};  ///< the handshake
  SessionConfig config{};
  std::shared_ptr<const Speech> speech{};
  std::string conversation_id{};  ///< to resume; empty: a new one
  std::optional<phone::PhoneCall> phone{};
  RealtimeTiming timing{};
  std::shared_ptr<void> slot{};  ///< one of the team's session slots
};

/// Returns the session of one connection.
[[nodiscard]] std::shared_ptr<SocketSession> make_session(SessionParts parts);

// Opens realtime sessions: permissions, limits, and initial configuration.

/// Limits a team's concurrent sessions. Thread-safe.
class SessionSlots : public std::enable_shared_from_this<SessionSlots> {
 public:
  /// Takes one of the team's `limit` slots until the result is destroyed; null if all are taken.
  [[nodiscard]] std::shared_ptr<void> take(const State& state, const std::string& team_id,
                                           std::int64_t limit);

 private:
  using Owner = std::pair<const State*, std::string>;
  std::mutex m_mutex{};
  std::map<Owner, std::int64_t> m_taken{};
};

/// The factory of /v1/realtime (SocketRoute).
[[nodiscard]] std::variant<std::shared_ptr<SocketSession>, Response> open_session(
    const Request& request, const std::shared_ptr<SessionSlots>& slots,
    const std::shared_ptr<const Speech>& speech);

// --- client secrets: short-lived keys for one purpose, which can be given to a browser ---

/// POST /v1/realtime/client_secrets.
[[nodiscard]] Response create_client_secret(const Request& request);

/// Returns the key and session of a client secret that has not expired (SocketRoute::secrets).
[[nodiscard]] Result<std::optional<SecretGrant>> find_client_secret(State& state, sv value);

}  // namespace svc::emulator::realtime
