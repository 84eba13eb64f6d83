// How a microphone hears the speaker: what a sound test measures.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "audio/echo.h"
#include "audio/format.h"

namespace svc::audio {

/// Noise in bursts as long as syllables: like nothing else in a room, and speech enough for an echo
/// canceller.
[[nodiscard]] std::vector<Sample> probe_sound(int rate, Milliseconds length);

struct LoopReport {
  /// From what is played to its echo; negative where a device is wrong about its times. Nothing: no
  /// echo was found.
  std::optional<Milliseconds> delay{};
  double echo = 0;                    ///< decibels against what was played
  std::optional<double> cancelled{};  ///< decibels that the canceller takes out of the echo
};

/// `played` and `heard` are of the same time, in one channel; `canceller` works on their rate, or
/// is null.
[[nodiscard]] LoopReport measure_loop(std::span<const Sample> played, std::span<const Sample> heard,
                                      int rate, EchoFilter* canceller);

}  // namespace svc::audio
