// The bytes of a sound file, in memory or in a spooled body, and the samples in them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "emulator/handler/body_file.h"
#include "emulator/sound/pcm.h"

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

enum class RawFormat : std::uint8_t { Container, Pcm, Mulaw, Alaw };

struct SoundFormat {
  RawFormat raw = RawFormat::Container;
  int rate = 0;      ///< of raw sound; a container says it itself
  int channels = 1;  ///< of raw sound
};

/// Told of the sound piece by piece: interleaved samples at k_listen_rate. False ends the reading.
struct SoundPiece {
  int channels = 1;
  std::vector<speech::Samples> samples{};  ///< by channel, at speech::k_listen_rate
};
using SoundSink = std::function<bool(const SoundPiece&)>;

/// Reads all of it with flat memory; the seconds it lasts. Usage, with a sentence for the client,
/// when it cannot be read; Local when the library for containers is not there.
[[nodiscard]] Result<double> read_sound(const ByteSource& bytes, const SoundFormat& format,
                                        const SoundSink& sink);

/// Raw bytes as samples, interleaved as they are. An odd byte at the end is left in `rest`, which
/// goes before the bytes of the next call.
[[nodiscard]] speech::Samples decode_raw(RawFormat format, std::string_view bytes,
                                         std::string& rest);

/// Is libsndfile built in?
[[nodiscard]] bool containers_are_built_in();

}  // namespace svc::emulator::stt
