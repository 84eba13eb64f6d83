#include "emulator/realtime/audio_format.h"

#include <algorithm>
#include <cstdlib>

namespace svc::emulator::realtime {
namespace {

// ITU-T G.711. The names are those of the recommendation's segments and steps.
std::int16_t from_mulaw(std::uint8_t byte) {
  const unsigned value = ~static_cast<unsigned>(byte) & 0xFFU;
  const unsigned segment = (value >> 4U) & 7U;
  const int magnitude = static_cast<int>((((value & 0x0FU) << 3U) + 0x84U) << segment) - 0x84;
  return static_cast<std::int16_t>((value & 0x80U) != 0 ? -magnitude : magnitude);
}

std::int16_t from_alaw(std::uint8_t byte) {
  const unsigned value = static_cast<unsigned>(byte) ^ 0x55U;
  const unsigned segment = (value >> 4U) & 7U;
  unsigned magnitude = ((value & 0x0FU) << 4U) + 8U;
  if (segment > 0) magnitude = (magnitude + 0x100U) << (segment - 1U);
  const int signed_value = static_cast<int>(magnitude);
  return static_cast<std::int16_t>((value & 0x80U) != 0 ? signed_value : -signed_value);
}

char to_mulaw(std::int16_t sample) {
  constexpr int k_bias = 0x84;
  constexpr int k_clip = 32'635;
  const unsigned sign = sample < 0 ? 0x80U : 0U;
  const auto magnitude =
      static_cast<unsigned>(std::min(std::abs(static_cast<int>(sample)), k_clip) + k_bias);
  unsigned segment = 7;
  while (segment > 0 && (magnitude & (0x80U << segment)) == 0) --segment;
  const unsigned step = (magnitude >> (segment + 3U)) & 0x0FU;
  return static_cast<char>(~(sign | (segment << 4U) | step) & 0xFFU);
}

char to_alaw(std::int16_t sample) {
  const unsigned sign = sample < 0 ? 0U : 0x80U;
  const int wide = sample;
  const auto magnitude = static_cast<unsigned>(wide < 0 ? -wide - 1 : wide);
  unsigned segment = 7;
  while (segment > 0 && (magnitude & (0x80U << segment)) == 0) --segment;
  const unsigned step = (magnitude >> (segment == 0 ? 4U : segment + 3U)) & 0x0FU;
  return static_cast<char>(((sign | (segment << 4U) | step) ^ 0x55U) & 0xFFU);
}

std::uint8_t byte_at(std::string_view bytes, std::size_t index) {
  return static_cast<std::uint8_t>(bytes[index]);
}

}  // namespace

std::string_view AudioFormat::type() const {
  if (codec == Codec::Pcmu) return "audio/pcmu";
  return codec == Codec::Pcma ? "audio/pcma" : "audio/pcm";
}

Samples decode_samples(const AudioFormat& format, std::string_view bytes) {
  Samples samples(bytes.size() / format.bytes_per_sample());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    switch (format.codec) {
      case Codec::Pcm:
        samples[i] = static_cast<std::int16_t>(static_cast<std::uint16_t>(
            byte_at(bytes, 2 * i) | static_cast<unsigned>(byte_at(bytes, 2 * i + 1)) << 8U));
        break;
      case Codec::Pcmu:
        samples[i] = from_mulaw(byte_at(bytes, i));
        break;
      case Codec::Pcma:
        samples[i] = from_alaw(byte_at(bytes, i));
        break;
    }
  }
  return samples;
}

std::string encode_samples(const AudioFormat& format, std::span<const std::int16_t> samples) {
  std::string bytes;
  bytes.reserve(samples.size() * format.bytes_per_sample());
  for (const std::int16_t sample : samples) {
    switch (format.codec) {
      case Codec::Pcm: {
        const auto value = static_cast<std::uint16_t>(sample);
        bytes += static_cast<char>(value & 0xFFU);
        bytes += static_cast<char>(value >> 8U);
        break;
      }
      case Codec::Pcmu:
        bytes += to_mulaw(sample);
        break;
      case Codec::Pcma:
        bytes += to_alaw(sample);
        break;
    }
  }
  return bytes;
}

Samples resample(std::span<const std::int16_t> samples, int from, int to) {
  if (from == to || samples.empty()) return {samples.begin(), samples.end()};
  Samples out(samples.size() * static_cast<std::size_t>(to) / static_cast<std::size_t>(from));
  const double step = static_cast<double>(from) / to;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double place = static_cast<double>(i) * step;
    const auto left = static_cast<std::size_t>(place);
    const std::size_t right = std::min(left + 1, samples.size() - 1);
    const double part = place - static_cast<double>(left);
    out[i] = static_cast<std::int16_t>(samples[left] * (1 - part) + samples[right] * part);
  }
  return out;
}

}  // namespace svc::emulator::realtime
