// Audio files in any format that libsndfile supports.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "audio/format.h"
#include "base/result.h"

namespace svc::audio {

/// Reads an audio file sequentially, converted to the wanted format.
class SoundReader {
 public:
  virtual ~SoundReader() = default;
  SoundReader() = default;
  SoundReader(const SoundReader&) = delete;
  SoundReader& operator=(const SoundReader&) = delete;

  /// The format of the samples that read() returns.
  [[nodiscard]] virtual Format format() const = 0;

  /// Total number of frames in that format; 0 if the file does not specify it.
  [[nodiscard]] virtual std::uint64_t frames() const = 0;

  /// Appends at least `frames` frames to `samples`, or the rest; false once nothing is left.
  [[nodiscard]] virtual Result<bool> read(std::size_t frames, std::vector<Sample>& samples) = 0;
};

/// `wanted`: 0 keeps the file's rate or channels. Several channels are averaged into one. Fails
/// with Fault::Usage if the file cannot be read or is not audio, Fault::Local if libsndfile is
/// missing.
[[nodiscard]] Result<std::unique_ptr<SoundReader>> open_sound_reader(const std::string& path,
                                                                     Format wanted);

/// As above, for a file in memory; `name` is used in messages.
[[nodiscard]] Result<std::unique_ptr<SoundReader>> open_sound_bytes(std::string bytes,
                                                                    const std::string& name,
                                                                    Format wanted);

/// As above, for bytes that outlive the reader.
[[nodiscard]] Result<std::unique_ptr<SoundReader>> open_sound_view(std::string_view bytes,
                                                                   const std::string& name,
                                                                   Format wanted);

/// Reads all remaining samples.
[[nodiscard]] inline Result<std::vector<Sample>> read_all(SoundReader& reader) {
  std::vector<Sample> samples;
  while (true) {
    SVC_TRY(more, reader.read(1U << 16U, samples));
    if (!more) return samples;
  }
}

}  // namespace svc::audio
