// Sound files of any kind that libsndfile reads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "audio/format.h"
#include "base/result.h"

namespace svc::audio {

/// Reads a file from its beginning to its end, as the format that is wanted.
class SoundReader {
 public:
  virtual ~SoundReader() = default;
  SoundReader() = default;
  SoundReader(const SoundReader&) = delete;
  SoundReader& operator=(const SoundReader&) = delete;

  /// Of what read() gives.
  [[nodiscard]] virtual Format format() const = 0;

  /// Frames in all, in that format; 0 when the file does not say.
  [[nodiscard]] virtual std::uint64_t frames() const = 0;

  /// Appends at least `frames` frames to `samples`, or all that is left; false once nothing is.
  [[nodiscard]] virtual Result<bool> read(std::size_t frames, std::vector<Sample>& samples) = 0;
};

/// `wanted`: 0 keeps the file's own rate, or channels. Several channels become one by their mean.
/// Usage when the file cannot be read, or not as sound; Local when libsndfile is missing.
[[nodiscard]] Result<std::unique_ptr<SoundReader>> open_sound_reader(const std::string& path,
                                                                     Format wanted);

/// The same for a whole file in memory; `name` is for messages.
[[nodiscard]] Result<std::unique_ptr<SoundReader>> open_sound_bytes(std::string bytes,
                                                                    const std::string& name,
                                                                    Format wanted);

/// All of a reader's samples.
[[nodiscard]] Result<std::vector<Sample>> read_all(SoundReader& reader);

}  // namespace svc::audio
