// Removes the speaker's sound from the microphone's audio.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "audio/format.h"
#include "base/result.h"

namespace svc::audio {

/// Processes steps of 10 ms of one channel.
class EchoFilter {
 public:
  EchoFilter() = default;
  EchoFilter(const EchoFilter&) = delete;
  EchoFilter& operator=(const EchoFilter&) = delete;
  virtual ~EchoFilter() = default;

  /// `played` is what the speaker plays while `captured` is captured, or up to 130 ms earlier;
  /// `captured` is changed in place. Both are one step long.
  virtual void process(std::span<const Sample> played, std::span<Sample> captured) = 0;

  /// Call when the offset between `played` and `captured` changes.
  virtual void on_realigned() {}

  /// Whether there may be echo, so that a voice may be detected late, by up to 120 ms.
  [[nodiscard]] virtual bool may_have_echo() const { return false; }
  /// Whether a voice was detected over the echo in the last step; unsuppressed() has its audio.
  [[nodiscard]] virtual bool voice_detected() const { return false; }
  /// The last step with less suppression: more of the voice, but also more of the echo.
  [[nodiscard]] virtual std::span<const Sample> unsuppressed() const { return {}; }
};

/// How strongly residual echo is suppressed; higher levels also attenuate a simultaneous voice.
enum class Suppression : std::uint8_t { Low, High };

/// The canceller of webrtc-audio-processing, in the plug-in svc-echo.so: next to the program, in
/// its library directory, or at `plugin`. Fails with Fault::Local if the plug-in or its library is
/// missing, or if `rate` is not a multiple of 100.
[[nodiscard]] Result<std::unique_ptr<EchoFilter>> make_echo_canceller(
    int rate, Suppression suppression = Suppression::Low, const std::string& plugin = {});

/// The canceller of speexdsp. It removes the linear part of the echo and leaves a simultaneous
/// voice intact, but takes some seconds to adapt. Fails with Fault::Local if its library is
/// missing.
[[nodiscard]] Result<std::unique_ptr<EchoFilter>> make_linear_canceller(int rate);

/// Keeps an answer from interrupting itself. A canceller needs a moment to adapt to the room, and
/// again whenever a device's timestamps jump. Until it has proved during an answer that no echo
/// remains (after 250 ms to 2 s), the guard passes only a voice louder than the possible echo. If
/// `linear` is not null, it provides unsuppressed() for voices that the canceller detects but
/// attenuates.
[[nodiscard]] std::unique_ptr<EchoFilter> make_echo_guard(
    std::unique_ptr<EchoFilter> canceller, std::unique_ptr<EchoFilter> linear = nullptr);

/// The path from the speaker to the microphone: its delay and attenuation, learnt step by step from
/// the levels of both.
class EchoPath {
 public:
  void add(double played, double captured);
  /// Whether enough audio was played for an estimate.
  [[nodiscard]] bool known() const noexcept { return m_steps >= k_enough; }
  /// Delay from playback to echo; a typical value until it is known.
  [[nodiscard]] Milliseconds delay() const;
  /// The echo's maximum level relative to the loudest recent playback.
  [[nodiscard]] double coupling() const noexcept { return m_coupling; }
  /// The loudest level played within the longest possible delay.
  [[nodiscard]] double loudest() const noexcept { return m_loudest; }

  static constexpr double k_silence = 0.001;  ///< playback below this level is silence

 private:
  static constexpr std::size_t k_lags = 50;  ///< steps: half a second
  static constexpr int k_enough = 100;       ///< steps with playback

  std::array<double, k_lags> m_played{};  ///< ring buffer of the newest levels
  std::array<double, k_lags> m_shared{};  ///< correlation by lag
  std::size_t m_next = 0;
  double m_loudest = 0;
  double m_mean_played = 0;
  double m_mean_captured = 0;
  double m_coupling = 0;
  int m_steps = 0;
};

/// During playback, passes only audio louder than the possible echo: the loudest recent playback
/// times the measured coupling. Passes nothing until the coupling is known.
[[nodiscard]] std::unique_ptr<EchoFilter> make_echo_gate();

}  // namespace svc::audio
