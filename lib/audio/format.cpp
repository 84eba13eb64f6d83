#include "audio/format.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace svc::audio {
namespace {

constexpr int k_mu_bias = 0x84;  // 33 in 14 bits: makes the first segment start at a power of two
constexpr int k_mu_clip = 32'635;

}  // namespace

std::uint64_t frames_in(const Format& format, std::chrono::microseconds time) noexcept {
  const auto count = std::max<std::int64_t>(0, time.count());
  return (static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(format.rate) + 500'000) /
         1'000'000;
}

Milliseconds time_of(const Format& format, std::uint64_t frames) noexcept {
  return Milliseconds(frames * 1000 / static_cast<std::uint64_t>(format.rate));
}

std::string encode(std::span<const Sample> samples, Encoding encoding) {
  std::string bytes;
  bytes.reserve(samples.size() * bytes_per_sample(encoding));
  for (const Sample sample : samples) {
    if (encoding == Encoding::Pcm) {
      const auto bits = static_cast<std::uint16_t>(sample);
      bytes.push_back(static_cast<char>(bits & 0xFFU));
      bytes.push_back(static_cast<char>(bits >> 8U));
    } else {
      bytes.push_back(
          static_cast<char>(encoding == Encoding::MuLaw ? to_mu_law(sample) : to_a_law(sample)));
    }
  }
  return bytes;
}

void Decoder::decode(std::string_view bytes, std::vector<Sample>& samples) {
  if (m_encoding != Encoding::Pcm) {
    for (const char byte : bytes) {
      const auto value = static_cast<std::uint8_t>(byte);
      samples.push_back(m_encoding == Encoding::MuLaw ? from_mu_law(value) : from_a_law(value));
    }
    return;
  }
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    if (m_has_half) {
      samples.push_back(static_cast<Sample>(static_cast<std::uint16_t>(m_half | value << 8U)));
    } else {
      m_half = value;
    }
    m_has_half = !m_has_half;
  }
}

std::vector<Sample> decode(std::string_view bytes, Encoding encoding) {
  std::vector<Sample> samples;
  samples.reserve(bytes.size() / bytes_per_sample(encoding));
  Decoder(encoding).decode(bytes, samples);
  return samples;
}

Level level_of(std::span<const Sample> samples) noexcept {
  if (samples.empty()) return {};
  double peak = 0;
  double squares = 0;
  for (const Sample sample : samples) {
    const double value = sample / 32768.0;
    peak = std::max(peak, std::abs(value));
    squares += value * value;
  }
  return {peak, std::sqrt(squares / static_cast<double>(samples.size()))};
}

Sample sample_of(float value) noexcept {
  return static_cast<Sample>(std::clamp(std::lrintf(value * 32768.0F), -32768L, 32767L));
}

double decibels(double amplitude) noexcept {
  constexpr double k_floor = -96;
  return amplitude <= 0 ? k_floor : std::max(k_floor, 20 * std::log10(std::min(amplitude, 1.0)));
}

// A byte has a sign bit, three segment bits and four step bits; mu-law inverts all of them.
std::uint8_t to_mu_law(std::int16_t sample) noexcept {
  const unsigned sign = sample < 0 ? 0x80U : 0U;
  const auto magnitude =
      static_cast<unsigned>(std::min(std::abs(static_cast<int>(sample)), k_mu_clip) + k_mu_bias);
  const auto segment = static_cast<unsigned>(std::bit_width(magnitude)) - 8U;
  const unsigned step = (magnitude >> (segment + 3U)) & 0x0FU;
  return static_cast<std::uint8_t>(~(sign | segment << 4U | step));
}

std::int16_t from_mu_law(std::uint8_t byte) noexcept {
  const unsigned bits = ~static_cast<unsigned>(byte) & 0xFFU;
  const unsigned segment = bits >> 4U & 7U;
  const int magnitude = static_cast<int>(((bits & 0x0FU) << 3U | 0x84U) << segment) - k_mu_bias;
  return static_cast<std::int16_t>((bits & 0x80U) != 0 ? -magnitude : magnitude);
}

// A-law uses 13 bits, one's complement for negative values, and inverts every other bit.
std::uint8_t to_a_law(std::int16_t sample) noexcept {
  const unsigned sign = sample < 0 ? 0U : 0x80U;
  const int value = sample >> 3;
  const auto magnitude = static_cast<unsigned>(sample < 0 ? ~value : value);
  const unsigned segment =
      magnitude < 32 ? 0U : static_cast<unsigned>(std::bit_width(magnitude)) - 5U;
  const unsigned step = magnitude >> (segment == 0 ? 1U : segment) & 0x0FU;
  return static_cast<std::uint8_t>((sign | segment << 4U | step) ^ 0x55U);
}

std::int16_t from_a_law(std::uint8_t byte) noexcept {
  const unsigned bits = static_cast<unsigned>(byte) ^ 0x55U;
  const unsigned segment = bits >> 4U & 7U;
  const unsigned step = (bits & 0x0FU) << 4U;
  const unsigned magnitude = segment == 0 ? step + 8U : (step + 0x108U) << (segment - 1U);
  return static_cast<std::int16_t>((bits & 0x80U) != 0 ? static_cast<int>(magnitude)
                                                       : -static_cast<int>(magnitude));
}

void convert_channels(std::span<const Sample> in, int from, int to, std::vector<Sample>& out) {
  if (from == to) {
    out.insert(out.end(), in.begin(), in.end());
    return;
  }
  const auto width = static_cast<std::size_t>(from);
  const auto wanted = static_cast<std::size_t>(to);
  out.reserve(out.size() + in.size() / width * wanted);
  for (std::size_t at = 0; at + width <= in.size(); at += width) {
    const std::span<const Sample> frame = in.subspan(at, width);
    int sum = 0;
    for (const Sample sample : frame) sum += sample;
    for (std::size_t i = 0; i < wanted; ++i) {
      out.push_back(wanted == 1 ? static_cast<Sample>(sum / from) : frame[std::min(i, width - 1)]);
    }
  }
}

}  // namespace svc::audio
