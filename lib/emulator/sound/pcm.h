// Sound as numbers: 16-bit samples of one channel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace svc::emulator::speech {

using Samples = std::vector<std::int16_t>;
using SampleView = std::span<const std::int16_t>;

/// `value` as a sample, cut off at the ends of the scale.
[[nodiscard]] constexpr std::int16_t to_sample(double value) {
  if (value >= 32767.0) return 32767;
  if (value <= -32768.0) return -32768;
  return static_cast<std::int16_t>(value < 0 ? value - 0.5 : value + 0.5);
}

/// The root of the mean square, as a share of full scale (0 to 1).
[[nodiscard]] double level_of(SampleView samples);

}  // namespace svc::emulator::speech
