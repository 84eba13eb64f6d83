// Taking out of what a microphone hears what the speaker plays.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "audio/format.h"
#include "base/result.h"

namespace svc::audio {

/// Works on steps of a hundredth of a second, in one channel.
class EchoFilter {
 public:
  EchoFilter() = default;
  EchoFilter(const EchoFilter&) = delete;
  EchoFilter& operator=(const EchoFilter&) = delete;
  virtual ~EchoFilter() = default;

  /// `played` is what the speaker plays while `heard` is captured, or up to 130 ms before; `heard`
  /// is changed in place. Both are of one step.
  virtual void process(std::span<const Sample> played, std::span<Sample> heard) = 0;

  /// From now on `played` is earlier or later than before, compared with `heard`.
  virtual void realigned() {}

  /// There may be echo now, and who speaks beside it may be noticed a little late: up to 120 ms.
  [[nodiscard]] virtual bool watches() const { return false; }
  /// In the last step somebody spoke beside the echo: whole() is what was said.
  [[nodiscard]] virtual bool voiced() const { return false; }
  /// The last step with less of the voice taken out, and more of the echo left.
  [[nodiscard]] virtual std::span<const Sample> whole() const { return {}; }
};

/// Of the echo that a canceller leaves, at the price of a voice beside it.
enum class Suppression : std::uint8_t { Low, High };

/// The canceller of webrtc-audio-processing, in a plug-in (svc-echo.so: beside the program, in its
/// library folder, or where `plugin` says). Local when it or its library is missing, or when `rate`
/// has no whole steps.
[[nodiscard]] Result<std::unique_ptr<EchoFilter>> make_echo_canceller(
    int rate, Suppression suppression = Suppression::Low, const std::string& plugin = {});

/// The canceller of speexdsp: it takes out what is linear in the echo, and nothing of a voice
/// beside it, but needs some seconds to leave little. Local when its library is missing.
[[nodiscard]] Result<std::unique_ptr<EchoFilter>> make_linear_canceller(int rate);

/// A canceller needs a moment to know the room, and another one whenever the times of a device
/// jump. Until it has shown in an answer that it leaves no echo (a quarter of a second, two seconds
/// at most), the guard lets only a voice through that is louder than the echo can be: so no answer
/// interrupts itself. `linear`, where it is not null, gives the whole() of a voice that the
/// canceller notices and softens.
[[nodiscard]] std::unique_ptr<EchoFilter> make_echo_guard(
    std::unique_ptr<EchoFilter> canceller, std::unique_ptr<EchoFilter> linear = nullptr);

/// How a speaker comes back in a microphone: how late, and how loud. Learnt from how loud both are,
/// step by step.
class EchoPath {
 public:
  void add(double played, double heard);
  /// Enough was played to know.
  [[nodiscard]] bool known() const noexcept { return m_steps >= k_enough; }
  /// How long after it is played the echo is heard; what is usual while that is not known.
  [[nodiscard]] Milliseconds delay() const;
  /// How loud the echo is at most, compared with the loudest that was played lately.
  [[nodiscard]] double coupling() const noexcept { return m_coupling; }
  /// The loudest that was played within the time that an echo may take.
  [[nodiscard]] double loudest() const noexcept { return m_loudest; }

  static constexpr double k_silence = 0.001;  ///< of the speaker

 private:
  static constexpr std::size_t k_lags = 50;  ///< steps: half a second
  static constexpr int k_enough = 100;       ///< steps with sound

  std::array<double, k_lags> m_played{};  ///< the newest ones, in a ring
  std::array<double, k_lags> m_shared{};  ///< how alike both are, by the lag
  std::size_t m_next = 0;
  double m_loudest = 0;
  double m_mean_played = 0;
  double m_mean_heard = 0;
  double m_coupling = 0;
  int m_steps = 0;
};

/// While the speaker plays, the microphone counts only when it is louder than the echo can be: the
/// loudest that was played lately, as loud as it was found to come back. Closed until that is
/// known.
[[nodiscard]] std::unique_ptr<EchoFilter> make_echo_gate();

}  // namespace svc::audio
