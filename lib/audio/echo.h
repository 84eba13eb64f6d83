// Taking out of what a microphone hears what the speaker plays.
#pragma once

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
};

/// The canceller of webrtc-audio-processing, in a plug-in (svc-echo.so: beside the program, in its
/// library folder, or where `plugin` says). Local when it or its library is missing, or when `rate`
/// has no whole steps.
[[nodiscard]] Result<std::unique_ptr<EchoFilter>> make_echo_canceller(
    int rate, const std::string& plugin = {});

/// A canceller needs a moment to know the room, and another one whenever the times of a device
/// jump. Until it has shown in an answer that it leaves no echo (a quarter of a second, two seconds
/// at most), the guard lets only a voice through that is louder than the echo can be: so no answer
/// interrupts itself.
[[nodiscard]] std::unique_ptr<EchoFilter> make_echo_guard(std::unique_ptr<EchoFilter> canceller);

/// Half duplex: while the speaker plays, the microphone counts only when it is louder than the
/// speaker can be in it.
[[nodiscard]] std::unique_ptr<EchoFilter> make_echo_gate();

}  // namespace svc::audio
