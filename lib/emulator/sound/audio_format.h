// The audio formats of a realtime session, and samples in them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svc::emulator::realtime {

using Samples = std::vector<std::int16_t>;

enum class Codec : std::uint8_t { Pcm, Pcmu, Pcma };

/// One channel.
struct AudioFormat {
  Codec codec = Codec::Pcm;
  int rate = 24'000;
  bool operator==(const AudioFormat&) const = default;

  /// "audio/pcm", …
  [[nodiscard]] std::string_view type() const;
  [[nodiscard]] std::size_t bytes_per_sample() const { return codec == Codec::Pcm ? 2 : 1; }
};

/// The samples in `bytes`; of a sample that is cut in half nothing.
[[nodiscard]] Samples decode_samples(const AudioFormat& format, std::string_view bytes);
[[nodiscard]] std::string encode_samples(const AudioFormat& format,
                                         std::span<const std::int16_t> samples);

/// How long so many samples are, rounded down.
[[nodiscard]] constexpr std::int64_t milliseconds_of(std::size_t samples, int rate) {
  return static_cast<std::int64_t>(samples) * 1000 / rate;
}

}  // namespace svc::emulator::realtime
