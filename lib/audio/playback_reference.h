// What a speaker plays, by the time at which it is heard: for an echo canceller, and for
// recordings.
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
  /// Where one reader is.
  struct Cursor {
    std::optional<std::int64_t> next{};  ///< the frame that is read next, at our rate
  };

  /// `feed` is one with a tap, in the device's `format`; comes out in one channel at `rate`.
  [[nodiscard]] static Result<PlaybackReference> create(std::shared_ptr<PlaybackFeed> feed,
                                                        const Format& format, int rate);

  /// Takes what has been played since the last call.
  void update();

  /// Fills `samples` with what is heard from `when` on; silence where nothing was played. A
  /// reader's times that follow each other give samples that follow each other: they may jitter.
  /// True when they do not, because the times jumped within what is played.
  bool read(Clock::time_point when, std::span<Sample> samples, Cursor& cursor);

  /// Whether something of the program's own is heard then, be it silent, and not just nothing.
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
  std::int64_t m_first = 0;  // the frame with which the history begins, at our rate
};

}  // namespace svc::audio
