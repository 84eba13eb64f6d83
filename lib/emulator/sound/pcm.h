// Sound as numbers: 16-bit samples of one channel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace svc::emulator::speech {

using Samples = std::vector<std::int16_t>;
using SampleView = std::span<const std::int16_t>;

/// `value` as a sample, cut off at the ends of the scale.
[[nodiscard]] constexpr std::int16_t to_sample(double value) {
  if (value >= 32767.0) return 32767;
  if (value <= -32768.0) return -32768;
  return static_cast<std::int16_t>(value < 0 ? value - 0.5 : value + 0.5);
}

/// The whole of `samples` at another rate. Local when the library for it is missing.
[[nodiscard]] Result<Samples> resample(SampleView samples, int from_rate, int to_rate);

}  // namespace svc::emulator::speech
