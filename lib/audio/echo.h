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

  /// `captured` is changed in place. Both are one step long. Unless finds_lag(), the echo of
  /// `played` arrives in the step, or within 50 ms after it.
  virtual void process(std::span<const Sample> played, std::span<Sample> captured) = 0;

  /// Whether it looks for the echo by itself, over half a second.
  [[nodiscard]] virtual bool finds_lag() const { return false; }
};

/// How strongly residual echo is suppressed; higher levels also attenuate a simultaneous voice.
enum class Suppression : std::uint8_t { Low, High };

/// The canceller of webrtc-audio-processing, in the plug-in svc-echo.so: next to the program, in
/// its library directory, or at `plugin`. Fails with Fault::Local if the plug-in or its library is
/// missing, or if `rate` is not a multiple of 100.
[[nodiscard]] Result<std::unique_ptr<EchoFilter>> make_echo_canceller(
    int rate, Suppression suppression = Suppression::Low, const std::string& plugin = {});

/// What makes a voice clearer. It follows whatever cancels echo and detects voices, since those
/// need what was captured as it was.
struct Enhancement {
  enum class Noise : std::uint8_t { Keep, SuppressLow, SuppressHigh };
  Noise noise = Noise::Keep;
  bool gain = false;  ///< adapts the volume to how loudly somebody speaks

  [[nodiscard]] bool any() const noexcept { return noise != Noise::Keep || gain; }
};

/// The filter of the same plug-in that does it; `played` of its process() is ignored. Fails like
/// make_echo_canceller().
[[nodiscard]] Result<std::unique_ptr<EchoFilter>> make_enhancer(int rate, Enhancement enhancement,
                                                                const std::string& plugin = {});

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
