// WAV files, written as the sound comes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

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

enum class Side : std::uint8_t { Left, Right };

/// Both sides of a conversation in one file: one on the left, the other on the right. Aligned by
/// time: what is written says when it begins, and is in the file at that time after the first that
/// was written; silence is where nothing was. Stretches that follow each other may have times that
/// jitter.
class StereoRecorder {
 public:
  /// A WAV file of two channels, as WavWriter makes it.
  [[nodiscard]] static Result<StereoRecorder> create(const std::string& path, int rate,
                                                     Replace replace);

  [[nodiscard]] Result<void> write(Side side, std::span<const Sample> samples,
                                   Clock::time_point begins);

  /// Writes what is left; the file is whole then.
  [[nodiscard]] Result<void> close();

 private:
  struct Track {
    std::vector<Sample> waiting{};  ///< until the other side is as far
    std::uint64_t end = 0;          ///< frames in all
  };

  StereoRecorder(WavWriter writer, int rate) : m_writer(std::move(writer)), m_format{rate, 1} {}
  void pad(Track& track, std::uint64_t end);
  [[nodiscard]] Result<void> flush();

  WavWriter m_writer;
  Format m_format;  // of one side
  std::optional<Clock::time_point> m_start{};
  std::array<Track, 2> m_tracks{};
};

}  // namespace svc::audio
