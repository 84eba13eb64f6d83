// Sound as 16-bit samples of one channel, and the audio formats of a realtime session.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "audio/format.h"
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

}  // namespace svc::emulator::speech

namespace svc::emulator::realtime {
using audio::Encoding;
using speech::Samples;

/// One channel.
struct AudioFormat {
  Encoding encoding = Encoding::Pcm;
  int rate = 24'000;
  bool operator==(const AudioFormat&) const = default;

  /// "audio/pcm", …
  [[nodiscard]] std::string_view type() const {
    if (encoding == Encoding::MuLaw) return "audio/pcmu";
    return encoding == Encoding::ALaw ? "audio/pcma" : "audio/pcm";
  }
};

/// How long so many samples are, rounded down.
[[nodiscard]] constexpr std::int64_t milliseconds_of(std::size_t samples, int rate) {
  return static_cast<std::int64_t>(samples) * 1000 / rate;
}

}  // namespace svc::emulator::realtime
