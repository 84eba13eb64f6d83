// The audio formats of a realtime session, and samples in them.
#pragma once

#include <cstdint>
#include <string_view>

#include "audio/format.h"
#include "emulator/sound/pcm.h"

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
