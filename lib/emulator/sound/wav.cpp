#include "emulator/sound/wav.h"

#include "emulator/sound/resample.h"

namespace svc::emulator::phone {
namespace {

using realtime::AudioFormat;
using realtime::Codec;

std::uint32_t little_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = size; i-- > 0;) {
    value = value << 8U | static_cast<std::uint8_t>(bytes[at + i]);
  }
  return value;
}

struct WavShape {
  AudioFormat format{};
  std::size_t channels = 0;  ///< 0: there was no chunk "fmt "
};

Result<WavShape> read_shape(std::string_view chunk) {
  constexpr std::uint32_t k_pcm = 1;
  constexpr std::uint32_t k_alaw = 6;
  constexpr std::uint32_t k_mulaw = 7;
  constexpr std::uint32_t k_extensible = 0xFFFE;
  if (chunk.size() < 16) return usage_error("That WAV file has no format.");
  std::uint32_t tag = little_endian(chunk, 0, 2);
  if (tag == k_extensible && chunk.size() >= 26) tag = little_endian(chunk, 24, 2);
  WavShape shape;
  shape.channels = little_endian(chunk, 2, 2);
  const std::uint32_t rate = little_endian(chunk, 4, 4);
  const std::uint32_t bits = little_endian(chunk, 14, 2);
  shape.format.codec = tag == k_mulaw ? Codec::Pcmu : tag == k_alaw ? Codec::Pcma : Codec::Pcm;
  const bool known =
      (tag == k_pcm && bits == 16) || ((tag == k_mulaw || tag == k_alaw) && bits == 8);
  if (!known || shape.channels == 0 || rate < 4'000 || rate > 192'000) {
    return usage_error("A caller's WAV file holds 16-bit, mu-law or A-law samples.");
  }
  shape.format.rate = static_cast<int>(rate);
  return shape;
}

}  // namespace

Result<realtime::Samples> read_wav(std::string_view bytes, int rate) {
  if (bytes.size() < 12 || !bytes.starts_with("RIFF") || bytes.substr(8, 4) != "WAVE") {
    return usage_error("That is no WAV file.");
  }
  WavShape shape;
  for (std::size_t at = 12; at + 8 <= bytes.size();) {
    const std::string_view name = bytes.substr(at, 4);
    const std::size_t size = little_endian(bytes, at + 4, 4);
    const std::string_view chunk = bytes.substr(at + 8, size);  // a streamed file says too much
    if (name == "fmt ") {
      SVC_TRY(read, read_shape(chunk));
      shape = read;
    } else if (name == "data" && shape.channels > 0) {
      const auto all = realtime::decode_samples(shape.format, chunk);
      realtime::Samples first;
      for (std::size_t i = 0; i < all.size(); i += shape.channels) first.push_back(all[i]);
      if (shape.format.rate == rate) return first;
      return speech::resample(first, shape.format.rate, rate);
    }
    at += 8 + chunk.size() + size % 2;
  }
  return usage_error("That WAV file holds no audio.");
}

}  // namespace svc::emulator::phone
