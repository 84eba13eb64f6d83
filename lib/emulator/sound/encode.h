// Samples to the bytes of a sound file, as they are made.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "emulator/sound/audio_format.h"

namespace svc::emulator::speech {

enum class Codec : std::uint8_t { Mp3, Wav, Pcm, Mulaw, Alaw };

/// "mp3", "wav", "pcm", "mulaw", "alaw".
[[nodiscard]] std::optional<Codec> find_codec(std::string_view name);

/// The MIME type.
[[nodiscard]] std::string_view content_type(Codec codec);

/// One channel. What comes out does not depend on the pieces in which the sound goes in.
class Encoder {
 public:
  /// `bit_rate` in bits per second, for MP3. `total` samples, where they are known, give a WAV file
  /// its true size; else its header says "until the end". Local when no MP3 encoder is installed.
  [[nodiscard]] static Result<std::unique_ptr<Encoder>> make(
      Codec codec, int rate, int bit_rate, std::optional<std::uint64_t> total = std::nullopt);

  Encoder() = default;
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  virtual ~Encoder() = default;

  [[nodiscard]] virtual std::string feed(SampleView samples) = 0;
  /// The rest; nothing may be fed after it.
  [[nodiscard]] virtual std::string finish() = 0;
};

}  // namespace svc::emulator::speech
