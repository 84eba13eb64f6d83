#include "emulator/sound/encode.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "emulator/sound/g711.h"
#include "emulator/sound/lame.h"

namespace svc::emulator::speech {
namespace {

struct CodecName {
  Codec codec;
  std::string_view name;
  std::string_view type;
};
constexpr std::array k_codecs = {
    CodecName{Codec::Mp3, "mp3", "audio/mpeg"}, CodecName{Codec::Wav, "wav", "audio/wav"},
    CodecName{Codec::Pcm, "pcm", "audio/pcm"}, CodecName{Codec::Mulaw, "mulaw", "audio/basic"},
    CodecName{Codec::Alaw, "alaw", "audio/alaw"}};

void put_little(std::string& out, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xffU);
}

std::string little_endian(SampleView samples) {
  std::string out;
  out.reserve(samples.size() * 2);
  for (const std::int16_t sample : samples) put_little(out, static_cast<std::uint16_t>(sample), 2);
  return out;
}

// RIFF, 16 bits, one channel. A size of all ones is what programs write that do not know it yet.
std::string wav_head(int rate, std::optional<std::uint64_t> samples) {
  constexpr std::uint32_t k_unknown = std::numeric_limits<std::uint32_t>::max();
  constexpr std::uint32_t k_rest_of_head = 36;
  const auto size = static_cast<std::uint32_t>(samples.value_or(0) * 2);
  std::string head = "RIFF";
  put_little(head, samples ? size + k_rest_of_head : k_unknown, 4);
  head += "WAVEfmt ";
  put_little(head, 16, 4);
  put_little(head, 1, 2);  // PCM
  put_little(head, 1, 2);
  put_little(head, static_cast<std::uint32_t>(rate), 4);
  put_little(head, static_cast<std::uint32_t>(rate) * 2, 4);
  put_little(head, 2, 2);
  put_little(head, 16, 2);
  head += "data";
  put_little(head, samples ? size : k_unknown, 4);
  return head;
}

/// What needs no memory of earlier samples.
class PlainEncoder final : public Encoder {
 public:
  PlainEncoder(Codec codec, std::string head) : m_codec(codec), m_head(std::move(head)) {}

  std::string feed(SampleView samples) override {
    std::string out = std::exchange(m_head, {});
    if (m_codec != Codec::Mulaw && m_codec != Codec::Alaw) return out + little_endian(samples);
    for (const std::int16_t sample : samples) {
      out += static_cast<char>(m_codec == Codec::Mulaw ? to_mulaw(sample) : to_alaw(sample));
    }
    return out;
  }
  std::string finish() override { return std::exchange(m_head, {}); }

 private:
  Codec m_codec;
  std::string m_head;
};

class Mp3Encoder final : public Encoder {
 public:
  explicit Mp3Encoder(Lame lame) : m_lame(std::move(lame)) {}
  std::string feed(SampleView samples) override { return m_lame.feed(samples); }
  std::string finish() override { return m_lame.finish(); }

 private:
  Lame m_lame;
};

}  // namespace

std::optional<Codec> find_codec(std::string_view name) {
  const auto* found = std::ranges::find(k_codecs, name, &CodecName::name);
  if (found == k_codecs.end()) return std::nullopt;
  return found->codec;
}

std::string_view content_type(Codec codec) {
  return std::ranges::find(k_codecs, codec, &CodecName::codec)->type;
}

Result<std::unique_ptr<Encoder>> Encoder::make(Codec codec, int rate, int bit_rate,
                                               std::optional<std::uint64_t> total) {
  if (codec == Codec::Mp3) {
    SVC_TRY(lame, Lame::make(rate, bit_rate));
    return std::unique_ptr<Encoder>(std::make_unique<Mp3Encoder>(std::move(lame)));
  }
  std::string head = codec == Codec::Wav ? wav_head(rate, total) : "";
  return std::unique_ptr<Encoder>(std::make_unique<PlainEncoder>(codec, std::move(head)));
}

}  // namespace svc::emulator::speech
