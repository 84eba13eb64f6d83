// What happens in the callbacks of sound devices: rings, counters, times. No locks, no memory, and
// no system call but one that wakes whoever waits; nothing of any sound library, so that tests can
// be the device.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "audio/block_times.h"
#include "audio/format.h"
#include "audio/pace_timer.h"
#include "audio/ring.h"

namespace svc::audio {

/// A level that one thread measures and another shows: up at once, down within a tenth of a second.
class SharedLevel {
 public:
  void follow(const Level& level) noexcept {
    constexpr double k_fall = 0.8;  // a block
    const Level before = get();
    set({std::max(level.peak, before.peak * k_fall), std::max(level.rms, before.rms * k_fall)});
  }
  void set(const Level& level) noexcept {
    m_peak.store(level.peak, std::memory_order_relaxed);
    m_rms.store(level.rms, std::memory_order_relaxed);
  }
  [[nodiscard]] Level get() const noexcept {
    return {m_peak.load(std::memory_order_relaxed), m_rms.load(std::memory_order_relaxed)};
  }

 private:
  std::atomic<double> m_peak = 0;
  std::atomic<double> m_rms = 0;
};

/// From a microphone's callback to the thread that takes its frames.
class CaptureFeed {
 public:
  /// `format` is the device's; the ring holds that much of it.
  CaptureFeed(const Format& format, std::chrono::milliseconds ring, PaceTimer timer);

  /// From the callback, at `now`: frames whose first was captured at `when`.
  void push(std::span<const Sample> samples, Clock::time_point when,
            Clock::time_point now) noexcept;

  /// Lets `timer` fire once the ring holds `samples`, at `latest` in any case.
  void wake(std::size_t samples, Clock::time_point latest);

  /// When the newest frames came.
  [[nodiscard]] Clock::time_point arrived() const noexcept {
    return Clock::time_point(Clock::duration(m_arrived.load(std::memory_order_acquire)));
  }

  Ring<Sample> ring;
  PaceTimer timer;
  BlockTimes times{};
  SharedLevel level{};
  std::atomic<std::uint64_t> lost = 0;  ///< frames that the ring had no room for

 private:
  static constexpr std::size_t k_never = std::numeric_limits<std::size_t>::max();

  std::size_t m_channels;
  std::atomic<std::size_t> m_enough = k_never;  // samples in the ring
  std::uint64_t m_frame = 0;                    // the callback's
  std::atomic<std::int64_t> m_arrived = 0;
};

/// From the thread that writes to a speaker's callback.
class PlaybackFeed {
 public:
  PlaybackFeed(const Format& format, std::chrono::milliseconds ring,
               std::chrono::milliseconds prebuffer, bool tapped);

  /// From the callback: fills `samples`, whose first frame will be heard at `when`.
  void pull(std::span<Sample> samples, Clock::time_point when) noexcept;

  /// Frames of the ring that have come out by `when`, since the last restart().
  [[nodiscard]] std::uint64_t heard(Clock::time_point when) const noexcept;

  /// Empties the ring and counts from `given` on; while there is no callback.
  void restart(std::uint64_t given) noexcept;

  Ring<Sample> ring;
  Ring<Sample> tap;  ///< all that came out, silence too, when it was asked for
  BlockTimes times{};
  SharedLevel level{};
  std::atomic<bool> paused = false;
  std::atomic<bool> finishing = false;  ///< plays what there is, however short

 private:
  Format m_format;
  std::size_t m_channels;
  std::size_t m_prebuffer;  ///< samples
  bool m_tapped;
  bool m_running = false;                  // the callback's
  std::uint64_t m_frame = 0;               // the callback's
  std::atomic<std::uint64_t> m_given = 0;  // frames
};

}  // namespace svc::audio
