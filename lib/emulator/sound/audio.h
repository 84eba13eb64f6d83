// Sound as 16-bit samples, the codecs of sound files, and the bytes of an audio file.
#pragma once

#include "audio/format.h"
#include "audio/resampler.h"
#include "base/platform.h"
#include "base/shared_library.h"
#include "emulator/handler/handler.h"

namespace svc::emulator::speech {

/// Returns Local, with the name of the package (that of `owner`), if the library is not installed.
[[nodiscard]] inline Result<SharedLibrary> open_library(const char* name, int version,
                                                        const std::string& owner) {
  const std::string file = library_name(name, version);
  auto library = SharedLibrary::load(file);
  if (library) return library;
  return Error{Fault::Local, "The library " + file + " is not installed.",
               install_hint("lib" + owner + std::to_string(version))};
}

using Samples = std::vector<std::int16_t>;
using SampleView = std::span<const std::int16_t>;

/// Clamps `value` to the range of a sample.
[[nodiscard]] constexpr std::int16_t to_sample(double value) {
  if (value >= 32767.0) return 32767;
  if (value <= -32768.0) return -32768;
  return static_cast<std::int16_t>(value < 0 ? value - 0.5 : value + 0.5);
}

/// Fills the band above 4 kHz, which the recognizer expects and telephone audio (a `rate` of 8 kHz
/// or less) lacks, with a mirror image of the band below; leaves other audio alone. `samples` are
/// at k_listen_rate, the first one at `position`.
void fill_upper_band(Samples& samples, int rate, std::size_t position = 0);

// --- encoding of samples as an audio file, incrementally ---

enum class Codec : std::uint8_t { Mp3, Wav, Pcm, Mulaw, Alaw };

/// "mp3", "wav", "pcm", "mulaw", "alaw".
[[nodiscard]] std::optional<Codec> find_codec(sv name);

/// The MIME type.
[[nodiscard]] sv content_type(Codec codec);

/// One channel. The output does not depend on how the input is split.
class Encoder {
 public:
  /// `bit_rate` is for MP3. With the `total` of samples, a WAV file gets its true size. Returns
  /// Local if no MP3 encoder is installed.
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
  [[nodiscard]] sv type() const {
    if (encoding == Encoding::MuLaw) return "audio/pcmu";
    return encoding == Encoding::ALaw ? "audio/pcma" : "audio/pcm";
  }
};

/// Returns the duration of `samples`, rounded down.
[[nodiscard]] constexpr std::int64_t milliseconds_of(std::size_t samples, int rate) {
  return static_cast<std::int64_t>(samples) * 1000 / rate;
}

}  // namespace svc::emulator::realtime

namespace svc::emulator::stt {

/// "pcm", "mulaw", "alaw".
[[nodiscard]] std::optional<audio::Encoding> raw_encoding(sv name);

struct InputFormat {
  std::optional<audio::Encoding> raw{};  ///< empty: a container, which describes its own format
  int rate = 0;
  int channels = 1;
};

/// Splits interleaved samples of any rate into channels at speech::k_listen_rate.
class ChannelSplitter {
 public:
  /// Returns Local if the resampling library is missing.
  [[nodiscard]] static Result<ChannelSplitter> make(int rate, int channels);

  /// `interleaved` must be whole frames.
  [[nodiscard]] std::vector<speech::Samples> feed(speech::SampleView interleaved);
  /// Returns the rest.
  [[nodiscard]] std::vector<speech::Samples> finish();

 private:
  ChannelSplitter(audio::Resampler resampler, int rate, int channels)
      : m_resampler(std::move(resampler)),
        m_rate(rate),
        m_channels(static_cast<std::size_t>(channels)) {}
  [[nodiscard]] std::vector<speech::Samples> split(const speech::Samples& interleaved);

  audio::Resampler m_resampler;
  int m_rate;  ///< before resampling
  std::size_t m_channels;
  std::size_t m_position = 0;  ///< samples of a channel so far
};

/// Called for each chunk: samples by channel, at speech::k_listen_rate. False stops reading.
using AudioSink = std::function<bool(const std::vector<speech::Samples>&)>;

/// Reads all audio with bounded memory; returns its duration in seconds. Returns Usage, with a
/// message for the client, if it cannot be read; Local if the library for containers is missing.
[[nodiscard]] Result<double> decode_audio(sv bytes, const InputFormat& format,
                                          const AudioSink& sink);

}  // namespace svc::emulator::stt
