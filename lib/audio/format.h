// Audio format: interleaved 16-bit samples at a given rate, and their encodings.
#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svc::audio {

using Sample = std::int16_t;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

/// A frame is one sample of each channel.
struct Format {
  int rate = 24'000;  ///< frames per second
  int channels = 1;

  friend bool operator==(const Format&, const Format&) = default;
};

/// The number of frames in `time`, rounded to the nearest.
[[nodiscard]] std::uint64_t frames_in(const Format& format,
                                      std::chrono::microseconds time) noexcept;

/// The duration of `frames`, rounded down to whole milliseconds so that it is never overstated.
[[nodiscard]] Milliseconds time_of(const Format& format, std::uint64_t frames) noexcept;

/// Headerless audio: signed 16-bit little-endian, or G.711 with one byte per sample.
enum class Encoding : std::uint8_t { Pcm, MuLaw, ALaw };

[[nodiscard]] constexpr std::size_t bytes_per_sample(Encoding encoding) noexcept {
  return encoding == Encoding::Pcm ? 2 : 1;
}

/// Encodes `samples`.
[[nodiscard]] std::string encode(std::span<const Sample> samples, Encoding encoding);

/// Decodes bytes that arrive in chunks of any length; an odd byte is kept for the next chunk.
class Decoder {
 public:
  explicit Decoder(Encoding encoding) noexcept : m_encoding(encoding) {}

  /// Appends the samples of `bytes` to `samples`.
  void decode(std::string_view bytes, std::vector<Sample>& samples);

  /// Whether half a sample is waiting for its second byte.
  [[nodiscard]] bool has_half() const noexcept { return m_has_half; }

 private:
  Encoding m_encoding;
  unsigned char m_half = 0;
  bool m_has_half = false;
};

/// Decodes complete data; an odd last byte is dropped.
[[nodiscard]] std::vector<Sample> decode(std::string_view bytes, Encoding encoding);

/// The loudness of a stretch of audio, from 0 to 1.
struct Level {
  double peak = 0;
  double rms = 0;
};

/// A sample of a value from -1 to 1.
[[nodiscard]] Sample sample_of(float value) noexcept;

[[nodiscard]] Level level_of(std::span<const Sample> samples) noexcept;

/// Decibels relative to full scale: from 0 (loudest) to -96 (silence).
[[nodiscard]] double decibels(double amplitude) noexcept;

// ITU-T G.711: 16-bit samples as one logarithmic byte each.

[[nodiscard]] std::uint8_t to_mu_law(std::int16_t sample) noexcept;
[[nodiscard]] std::int16_t from_mu_law(std::uint8_t byte) noexcept;
[[nodiscard]] std::uint8_t to_a_law(std::int16_t sample) noexcept;
[[nodiscard]] std::int16_t from_a_law(std::uint8_t byte) noexcept;

// Conversion between channel counts.

/// Appends the frames of `in`, converted to `to` channels. One channel is copied to all; several
/// are averaged into one; otherwise the first channels are used and the last one is repeated.
void convert_channels(std::span<const Sample> in, int from, int to, std::vector<Sample>& out);

}  // namespace svc::audio
