// Both sides of a conversation in one file: one on the left, the other on the right.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "audio/format.h"
#include "audio/wav.h"
#include "base/result.h"

namespace svc::audio {

enum class Side : std::uint8_t { Left, Right };

/// Aligned by time: what is written says when it begins, and is in the file at that time after
/// the first that was written; silence is where nothing was. Stretches that follow each other may
/// have times that jitter.
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
