#include "emulator/sound/encode.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "audio/format.h"
#include "audio/wav.h"
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

/// What needs no memory of earlier samples.
class PlainEncoder final : public Encoder {
 public:
  PlainEncoder(Codec codec, std::string head) : m_codec(codec), m_head(std::move(head)) {}

  std::string feed(SampleView samples) override {
    const auto encoding = m_codec == Codec::Mulaw  ? audio::Encoding::MuLaw
                          : m_codec == Codec::Alaw ? audio::Encoding::ALaw
                                                   : audio::Encoding::Pcm;
    return std::exchange(m_head, {}) + audio::encode(samples, encoding);
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
  // The longest length that can be said is what programs write that do not know it yet.
  constexpr auto k_unknown = std::numeric_limits<std::uint64_t>::max();
  std::string head =
      codec == Codec::Wav ? audio::wav_header({rate, 1}, total ? *total * 2 : k_unknown) : "";
  return std::unique_ptr<Encoder>(std::make_unique<PlainEncoder>(codec, std::move(head)));
}

}  // namespace svc::emulator::speech
