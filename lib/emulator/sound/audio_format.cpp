#include "emulator/sound/audio_format.h"

#include "emulator/sound/g711.h"

namespace svc::emulator::realtime {
namespace {

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
        samples[i] = speech::from_mulaw(byte_at(bytes, i));
        break;
      case Codec::Pcma:
        samples[i] = speech::from_alaw(byte_at(bytes, i));
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
        bytes += static_cast<char>(speech::to_mulaw(sample));
        break;
      case Codec::Pcma:
        bytes += static_cast<char>(speech::to_alaw(sample));
        break;
    }
  }
  return bytes;
}

}  // namespace svc::emulator::realtime
