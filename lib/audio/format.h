// What sound is here: 16-bit samples, interleaved, at a rate; and how they stand in bytes.
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

/// Frames that last so long, rounded to the nearest.
[[nodiscard]] std::uint64_t frames_in(const Format& format,
                                      std::chrono::microseconds time) noexcept;

/// How long that number of frames lasts: whole milliseconds, rounded down, so that never more is
/// claimed than there was.
[[nodiscard]] Milliseconds time_of(const Format& format, std::uint64_t frames) noexcept;

/// Headerless bytes: signed 16-bit little-endian, or G.711 with one byte a sample.
enum class Encoding : std::uint8_t { Pcm, MuLaw, ALaw };

[[nodiscard]] constexpr std::size_t bytes_per_sample(Encoding encoding) noexcept {
  return encoding == Encoding::Pcm ? 2 : 1;
}

/// The bytes of `samples`.
[[nodiscard]] std::string encode(std::span<const Sample> samples, Encoding encoding);

/// Bytes that come in pieces of any length, as samples: an odd byte is kept for the next piece.
class Decoder {
 public:
  explicit Decoder(Encoding encoding) noexcept : m_encoding(encoding) {}

  /// Appends the samples of `bytes` to `samples`.
  void decode(std::string_view bytes, std::vector<Sample>& samples);

  /// Half a sample is waiting for its other byte.
  [[nodiscard]] bool has_half() const noexcept { return m_has_half; }

 private:
  Encoding m_encoding;
  unsigned char m_half = 0;
  bool m_has_half = false;
};

/// decode() for bytes that are all there; an odd last byte is dropped.
[[nodiscard]] std::vector<Sample> decode(std::string_view bytes, Encoding encoding);

/// How loud a stretch of sound is, both from 0 to 1.
struct Level {
  double peak = 0;
  double rms = 0;
};

[[nodiscard]] Level level_of(std::span<const Sample> samples) noexcept;

/// Decibels below full scale: 0 for the loudest, -96 for silence.
[[nodiscard]] double decibels(double amplitude) noexcept;

// ITU-T G.711: 16-bit samples as one byte each, by logarithm.

[[nodiscard]] std::uint8_t to_mu_law(std::int16_t sample) noexcept;
[[nodiscard]] std::int16_t from_mu_law(std::uint8_t byte) noexcept;
[[nodiscard]] std::uint8_t to_a_law(std::int16_t sample) noexcept;
[[nodiscard]] std::int16_t from_a_law(std::uint8_t byte) noexcept;

// One channel as several, several as one.

/// Appends the frames of `in` with `to` channels: one becomes all of them, several become one by
/// their mean; else the first ones, the last repeated.
void change_channels(std::span<const Sample> in, int from, int to, std::vector<Sample>& out);

}  // namespace svc::audio
