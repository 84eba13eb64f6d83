// Sound as 16-bit samples of one channel, the audio formats of a realtime session, and the codecs
// of sound files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "audio/format.h"
#include "base/result.h"

namespace svc::emulator::speech {

using Samples = std::vector<std::int16_t>;
using SampleView = std::span<const std::int16_t>;

/// Clamps `value` to the range of a sample.
[[nodiscard]] constexpr std::int16_t to_sample(double value) {
  if (value >= 32767.0) return 32767;
  if (value <= -32768.0) return -32768;
  return static_cast<std::int16_t>(value < 0 ? value - 0.5 : value + 0.5);
}

// --- encoding of samples as an audio file, incrementally ---

enum class Codec : std::uint8_t { Mp3, Wav, Pcm, Mulaw, Alaw };

/// "mp3", "wav", "pcm", "mulaw", "alaw".
[[nodiscard]] std::optional<Codec> find_codec(std::string_view name);

/// The MIME type.
[[nodiscard]] std::string_view content_type(Codec codec);

/// One channel. The output does not depend on how the input is split.
class Encoder {
 public:
  /// `bit_rate` is in bits per second, for MP3. If `total` samples is known, a WAV file gets its
  /// true size; otherwise its header says "until the end". Returns Local if no MP3 encoder is
  /// installed.
  [[nodiscard]] static Result<std::unique_ptr<Encoder>> make(
      Codec codec, int rate, int bit_rate, std::optional<std::uint64_t> total = std::nullopt);

  Encoder() = default;
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  virtual ~Encoder() = default;

  [[nodiscard]] virtual std::string feed(SampleView samples) = 0;
  /// Returns the rest; call last.
  [[nodiscard]] virtual std::string finish() = 0;
};

}  // namespace svc::emulator::speech

namespace svc::emulator::realtime {
using audio::Encoding;
using speech::Samples;

/// One channel.
struct AudioFormat {
  Encoding encoding = Encoding::Pcm;
  int rate = 24'000;
  bool operator==(const AudioFormat&) const = default;

  /// "audio/pcm", …
  [[nodiscard]] std::string_view type() const {
    if (encoding == Encoding::MuLaw) return "audio/pcmu";
    return encoding == Encoding::ALaw ? "audio/pcma" : "audio/pcm";
  }
};

/// Returns the duration of `samples`, rounded down.
[[nodiscard]] constexpr std::int64_t milliseconds_of(std::size_t samples, int rate) {
  return static_cast<std::int64_t>(samples) * 1000 / rate;
}

}  // namespace svc::emulator::realtime
