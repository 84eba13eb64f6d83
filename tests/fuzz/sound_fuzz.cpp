// Sound from a service or a file: any bytes must give audio or an error, and the same however they
// are split.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "audio/sound_file.h"
#include "voice/speech_audio.h"

namespace {

using namespace svc;
using voice::Codec;

constexpr Codec k_codecs[] = {Codec::Mp3, Codec::Wav, Codec::Pcm, Codec::MuLaw, Codec::ALaw};

/// What a part leaves after its headers and tags, and whether it was accepted.
std::string extracted(Codec codec, std::string_view bytes, std::size_t step) {
  voice::PartAudioExtractor part(codec, 24'000);
  std::string sound;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    if (!part.feed(bytes.substr(at, step), sound)) return "refused";
  }
  if (!part.finish(sound)) return "refused";
  if (sound.size() > bytes.size() || part.seconds() < 0) std::abort();
  return sound;
}

/// The samples, and whether all bytes were accepted.
std::pair<std::vector<audio::Sample>, bool> decoded(Codec codec, std::string_view bytes,
                                                    std::size_t step) {
  voice::SpeechDecoder decoder(codec, 8'000);
  std::vector<audio::Sample> samples;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    if (!decoder.decode(bytes.substr(at, step), samples)) return {{}, false};
  }
  return {samples, true};
}

void check_file(std::string_view bytes) {
  const auto reader = audio::open_sound_bytes(std::string(bytes), "fuzz", {16'000, 1});
  if (!reader) {
    if (reader.error().message.empty()) std::abort();
    return;
  }
  std::vector<audio::Sample> samples;
  for (int i = 0; i < 64; ++i) {
    samples.clear();
    const auto more = (*reader)->read(4'000, samples);
    if (!more || !*more) return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t step = 1 + data[0] % 64;
  const auto head = voice::read_wav_head(bytes);
  if (head && *head) {
    if ((*head)->data > bytes.size()) std::abort();
    (void)voice::make_wav_head(**head, std::nullopt);
  }
  for (const Codec codec : k_codecs) {
    if (extracted(codec, bytes, step) != extracted(codec, bytes, bytes.size())) std::abort();
    if (codec == Codec::Mp3) continue;
    if (decoded(codec, bytes, step) != decoded(codec, bytes, bytes.size())) std::abort();
  }
  check_file(bytes);
  return 0;
}
