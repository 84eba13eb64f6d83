// From a microphone in a room with a speaker to the voice of whoever speaks there.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "audio/echo.h"
#include "audio/lag_estimator.h"
#include "audio/linear_canceller.h"
#include "audio/voice_detector.h"

namespace svc::audio {

/// Estimates the echo's lag, subtracts the echo, and detects voices in what is left. A voice passes
/// as it is, from its start; while nobody speaks, what is left of the echo is suppressed. Until the
/// echo is known to be canceled, and whenever it no longer is, nothing is heard while something
/// plays. One thread owns it.
class FrontEnd {
 public:
  /// Playback is passed to process() this much before its time, because devices report wrong times.
  static constexpr Milliseconds k_lead{50};

  /// `suppressor` may be null. `lag` is what lag() returned for the same devices before.
  FrontEnd(int rate, std::unique_ptr<EchoFilter> suppressor, std::optional<Milliseconds> lag = {});

  /// Processes 10 ms; appends what is ready to `out`: while something plays, 900 ms late, as long
  /// as it may take to detect a voice, and complete again as soon as there is one.
  void process(std::span<const Sample> played, std::span<const Sample> captured,
               std::vector<Sample>& out);
  /// Appends what process() still holds.
  void flush(std::vector<Sample>& out);

  /// From now on, playback is passed `by` samples earlier than before, because its time was
  /// corrected.
  void on_realigned(std::int64_t by);

  /// Whether something plays, or its echo lasts.
  [[nodiscard]] bool playing() const noexcept { return m_playing; }
  /// Whether the microphone is closed now, because the echo is not canceled.
  [[nodiscard]] bool closed() const noexcept { return m_closed && m_playing; }
  /// Whether it is closed although there was time enough to learn.
  [[nodiscard]] bool ineffective() const noexcept { return m_closed && m_closed_steps > 400; }
  [[nodiscard]] bool voice() const noexcept { return m_voice; }
  /// The lag of the echo behind its playback, once it is measured.
  [[nodiscard]] std::optional<Milliseconds> lag() const;
  /// How much of the echo is canceled, in decibels.
  [[nodiscard]] double canceled() const;
  [[nodiscard]] double drift() const noexcept { return m_drift; }
  [[nodiscard]] const LagEstimator& estimator() const noexcept { return m_estimator; }
  [[nodiscard]] const VoiceDetector& detector() const noexcept { return m_detector; }
  /// What the network saw in this step, if it was asked whether a voice is an echo.
  [[nodiscard]] const std::optional<voice_network::CheckInputs>& check() const { return m_check; }

 private:
  struct Held {
    std::vector<Sample> suppressed{};
    std::vector<Sample> voice{};
    double score = 0;  // of the detector
  };
  void follow_playback(std::span<const Sample> played);
  void align();
  void move_to(double lag, bool same_room);
  void find_start();
  void read_aligned();
  [[nodiscard]] std::vector<Sample> suppress(std::span<const Sample> played,
                                             std::span<const Sample> captured);
  void between_answers(std::span<const Sample> captured, bool voice, std::vector<Sample>& out);
  void limit_to_noise(Held& held) const;
  void judge(double played, double before, double after);
  bool is_voice();
  [[nodiscard]] bool starts() const;
  [[nodiscard]] std::optional<double> find_echo(const LagEstimator::Match& left,
                                                const LagEstimator::Match& captured) const;
  [[nodiscard]] voice_network::CheckInputs inputs(const LagEstimator::Match& left,
                                                  const LagEstimator::Match& captured) const;
  void on_echo_left(double lag);
  [[nodiscard]] std::size_t voice_begin() const;
  void emit(bool holds, std::vector<Sample>& out);

  int m_rate;
  std::size_t m_step;
  std::unique_ptr<EchoFilter> m_suppressor;
  LagEstimator m_estimator;
  LinearCanceller m_linear;
  VoiceDetector m_detector;
  std::vector<float> m_history;  // played, the newest last
  std::vector<float> m_now;      // the last step of both sides, as numbers from -1 to 1
  std::vector<float> m_captured;
  std::vector<float> m_aligned;
  std::vector<Sample> m_aligned_samples{};
  std::deque<Held> m_held{};
  std::optional<double> m_lag{};  // seconds behind the led playback
  double m_drift = 0;
  bool m_measured = false;  // the lag was measured here, not remembered
  bool m_playing = false;
  bool m_closed = true;
  bool m_effective = false;         // the canceller knows this room
  int m_started = 0;                // steps since playback started
  std::optional<double> m_start{};  // lag that was found since
  bool m_start_known = false;       // twice
  bool m_voice = false;
  int m_since_played = 0;
  int m_voice_steps = 0;
  float m_trust = 0;                                    // that it is one
  std::optional<voice_network::CheckInputs> m_check{};  // of this step
  std::optional<double> m_echo_left{};                  // lag of the last echo taken for a voice
  double m_before = 0;                                  // mean energies of the echo
  double m_after = 0;
  double m_captured_now = 0;  // the same, of the last 40 ms
  double m_left_now = 0;
  double m_noise = 1;  // while nothing played: music hides it
  int m_learnt = 0;    // steps since the canceller started
  int m_quiet = 0;
  int m_bad = 0;
  int m_closed_steps = 0;  // of playback
};

}  // namespace svc::audio
