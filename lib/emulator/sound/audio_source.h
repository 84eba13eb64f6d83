// The bytes of an audio file, in memory or in a body file, and their samples.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "audio/format.h"
#include "audio/resampler.h"
#include "base/file_backed_buffer.h"
#include "base/result.h"
#include "emulator/sound/audio_format.h"

namespace svc::emulator::stt {

/// Bytes with random access. Copies share the underlying data.
class ByteSource {
 public:
  ByteSource() = default;
  static ByteSource of(std::shared_ptr<const std::string> text);
  static ByteSource of(std::shared_ptr<const FileBackedBuffer> file);

  [[nodiscard]] std::uint64_t size() const { return m_size; }
  /// Returns the bytes read.
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<char> into) const;
  [[nodiscard]] std::string text(std::uint64_t offset, std::size_t size) const;
  /// Returns `size` bytes starting at `offset`.
  [[nodiscard]] ByteSource part(std::uint64_t offset, std::uint64_t size) const;

 private:
  std::shared_ptr<const std::string> m_text{};
  std::shared_ptr<const FileBackedBuffer> m_file{};
  std::uint64_t m_begin = 0;
  std::uint64_t m_size = 0;
};

/// "pcm", "mulaw", "alaw".
[[nodiscard]] std::optional<audio::Encoding> raw_encoding(std::string_view name);

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
  ChannelSplitter(audio::Resampler resampler, int channels)
      : m_resampler(std::move(resampler)), m_channels(static_cast<std::size_t>(channels)) {}
  [[nodiscard]] std::vector<speech::Samples> split(const speech::Samples& interleaved) const;

  audio::Resampler m_resampler;
  std::size_t m_channels;
};

/// Called for each chunk of audio: samples by channel, at speech::k_listen_rate. Returning false
/// stops the reading.
using AudioSink = std::function<bool(const std::vector<speech::Samples>&)>;

/// Reads all audio with bounded memory; returns its duration in seconds. Returns Usage, with a
/// message for the client, if it cannot be read; Local if the library for containers is missing.
[[nodiscard]] Result<double> decode_audio(const ByteSource& bytes, const InputFormat& format,
                                          const AudioSink& sink);

/// Whether libsndfile is built in.
[[nodiscard]] bool containers_are_built_in();

}  // namespace svc::emulator::stt
