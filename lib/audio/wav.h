// WAV files, written as the sound comes.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "audio/format.h"
#include "base/files.h"
#include "base/result.h"

namespace svc::audio {

/// The 44 bytes before the samples; `data_bytes` is cut at what the format can say.
[[nodiscard]] std::string wav_header(const Format& format, std::uint64_t data_bytes);

/// Whole at its path after close(). The sizes in the header follow every second of sound, so that
/// a crash leaves a hidden file beside it that can be played; without close(), what was written
/// stays as "PATH.partial".
class WavWriter {
 public:
  /// As AtomicFile::create. Into a pipe it is written with the longest length.
  [[nodiscard]] static Result<WavWriter> create(const std::string& path, const Format& format,
                                                Replace replace);
  WavWriter(WavWriter&& other) noexcept;
  WavWriter& operator=(WavWriter&&) = delete;
  ~WavWriter();

  [[nodiscard]] Result<void> write(std::span<const Sample> samples);
  [[nodiscard]] Result<void> close();

  [[nodiscard]] const std::string& path() const noexcept { return m_file.path(); }

 private:
  WavWriter(AtomicFile file, const Format& format) noexcept
      : m_file(std::move(file)), m_format(format) {}
  [[nodiscard]] Result<void> patch_header();

  AtomicFile m_file;
  Format m_format;
  std::uint64_t m_bytes = 0;    ///< of samples
  std::uint64_t m_patched = 0;  ///< of them, what the header says
  bool m_closed = false;
};

}  // namespace svc::audio
