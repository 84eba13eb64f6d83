// What a speaker plays, indexed by the time it is heard: for echo cancellation and recordings.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "audio/device_feed.h"
#include "audio/resampler.h"

namespace svc::audio {

class PlaybackReference {
 public:
  /// A reader's position, at the output rate.
  struct Cursor {
    std::optional<std::int64_t> next{};  ///< frame to read
    double behind = 0;                   ///< frames by which it usually is behind the timestamps
    std::int64_t silent = 0;             ///< frames of silence read last
  };

  /// `feed` must have a tap, in the device's `format`. The output has one channel at `rate`.
  [[nodiscard]] static Result<PlaybackReference> create(std::shared_ptr<PlaybackFeed> feed,
                                                        const Format& format, int rate);

  /// Reads what has been played since the last call.
  void update();

  /// Fills `samples` with what is heard from `when` on, or silence where nothing was played.
  /// Consecutive reads return consecutive samples, even if `when` jitters, and while two clocks
  /// drift apart: that is corrected in a pause. Returns by how many frames later it then continues.
  std::int64_t read(Clock::time_point when, std::span<Sample> samples, Cursor& cursor);

  /// Whether audio of the program, even if silent, is heard at `when`.
  [[nodiscard]] bool plays(Clock::time_point when) const;

 private:
  PlaybackReference(std::shared_ptr<PlaybackFeed> feed, const Format& format, int rate,
                    Resampler resampler);
  [[nodiscard]] std::optional<std::int64_t> frame_at(Clock::time_point when) const;

  std::shared_ptr<PlaybackFeed> m_feed;
  Format m_format;
  int m_rate;
  Resampler m_resampler;
  std::vector<Sample> m_scratch{};
  std::vector<Sample> m_mono{};
  std::vector<Sample> m_history{};
  std::int64_t m_first = 0;  // first frame of the history, at the output rate
};

}  // namespace svc::audio
