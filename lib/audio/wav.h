// WAV files, written as the audio arrives.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "audio/format.h"
#include "base/atomic_file.h"
#include "base/result.h"

namespace svc::audio {

/// The data bytes of a header for audio of unknown length.
inline constexpr std::uint64_t k_most_wav_bytes = 0xFFFF'FFFFULL - 44;

/// The 44-byte header; `data_bytes` is capped at the format's maximum. `tag` is 1 for PCM, 6 for
/// A-law and 7 for mu-law.
[[nodiscard]] std::string wav_header(const Format& format, std::uint64_t data_bytes, int tag = 1,
                                     int bits = 16);

/// Writes a WAV file and moves it to its path on close(). The header's sizes are updated after
/// every second of audio, so that after a crash the hidden temporary file next to it can be played.
/// Without close(), the audio so far remains as "PATH.partial".
class WavWriter {
 public:
  /// Like AtomicFile::create(). In a pipe the header has the maximum length.
  [[nodiscard]] static Result<WavWriter> create(const std::string& path, const Format& format,
                                                Replace replace);
  WavWriter(WavWriter&& other) noexcept;
  WavWriter& operator=(WavWriter&&) = delete;
  ~WavWriter();

  [[nodiscard]] Result<void> write(std::span<const Sample> samples);
  [[nodiscard]] Result<void> close();

 private:
  WavWriter(AtomicFile file, const Format& format) noexcept
      : m_file(std::move(file)), m_format(format) {}
  [[nodiscard]] Result<void> patch_header();

  AtomicFile m_file;
  Format m_format;
  std::uint64_t m_bytes = 0;    ///< of samples
  std::uint64_t m_patched = 0;  ///< of them, the number in the header
  bool m_closed = false;
};

enum class Side : std::uint8_t { Left, Right };

/// Records both sides of a conversation in one stereo file, one left and one right, aligned by
/// time. Each stretch has a start time and is placed relative to the first one written; gaps are
/// silence. The times of consecutive stretches may jitter.
class StereoRecorder {
 public:
  /// Creates a two-channel WAV file, as WavWriter does.
  [[nodiscard]] static Result<StereoRecorder> create(const std::string& path, int rate,
                                                     Replace replace);

  [[nodiscard]] Result<void> write(Side side, std::span<const Sample> samples,
                                   Clock::time_point start_time);

  /// Writes the rest and completes the file.
  [[nodiscard]] Result<void> close();

 private:
  struct Track {
    std::vector<Sample> waiting{};  ///< until the other side has caught up
    std::uint64_t end = 0;          ///< total frames
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
