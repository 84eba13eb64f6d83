// The bytes of a sound file, in memory or in a spooled body, and the samples in them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "audio/format.h"
#include "audio/resampler.h"
#include "base/result.h"
#include "emulator/handler/http_call.h"
#include "emulator/sound/audio_format.h"

namespace svc::emulator::stt {

/// Bytes that can be read anywhere. Copies share what they read from.
class ByteSource {
 public:
  ByteSource() = default;
  static ByteSource of(std::shared_ptr<const std::string> text);
  static ByteSource of(std::shared_ptr<const BodyFile> file);

  [[nodiscard]] std::uint64_t size() const { return m_size; }
  /// How much there was.
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<char> into) const;
  [[nodiscard]] std::string text(std::uint64_t offset, std::size_t size) const;
  /// `size` bytes from `offset` on.
  [[nodiscard]] ByteSource part(std::uint64_t offset, std::uint64_t size) const;

 private:
  std::shared_ptr<const std::string> m_text{};
  std::shared_ptr<const BodyFile> m_file{};
  std::uint64_t m_begin = 0;
  std::uint64_t m_size = 0;
};

struct SoundFormat {
  std::optional<audio::Encoding> raw{};  ///< nothing: a container, which says the rest itself
  int rate = 0;
  int channels = 1;
};

/// Interleaved samples of any rate as channels at speech::k_listen_rate.
class ChannelSplitter {
 public:
  /// Local when the library that changes rates is missing.
  [[nodiscard]] static Result<ChannelSplitter> make(int rate, int channels);

  /// `interleaved` are whole frames.
  [[nodiscard]] std::vector<speech::Samples> feed(speech::SampleView interleaved);
  /// The rest.
  [[nodiscard]] std::vector<speech::Samples> finish();

 private:
  ChannelSplitter(audio::Resampler resampler, int channels)
      : m_resampler(std::move(resampler)), m_channels(static_cast<std::size_t>(channels)) {}
  [[nodiscard]] std::vector<speech::Samples> split(const speech::Samples& interleaved) const;

  audio::Resampler m_resampler;
  std::size_t m_channels;
};

/// Told of the sound piece by piece: samples by channel, at speech::k_listen_rate. False ends the
/// reading.
using SoundSink = std::function<bool(const std::vector<speech::Samples>&)>;

/// Reads all of it with flat memory; the seconds it lasts. Usage, with a sentence for the client,
/// when it cannot be read; Local when the library for containers is not there.
[[nodiscard]] Result<double> read_sound(const ByteSource& bytes, const SoundFormat& format,
                                        const SoundSink& sink);

/// Is libsndfile built in?
[[nodiscard]] bool containers_are_built_in();

}  // namespace svc::emulator::stt
