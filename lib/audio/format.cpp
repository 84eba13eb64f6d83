#include "audio/format.h"

#include <algorithm>

#include "audio/g711.h"

namespace svc::audio {

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

double decibels(double amplitude) noexcept {
  constexpr double k_floor = -96;
  return amplitude <= 0 ? k_floor : std::max(k_floor, 20 * std::log10(std::min(amplitude, 1.0)));
}

}  // namespace svc::audio
