// Shared state of the sound device callbacks: ring buffers, counters, timestamps. The callbacks
// take no locks, allocate no memory and make only one system call, which wakes the waiting thread.
// Nothing here depends on a sound library, so that tests can act as the device.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "audio/format.h"
#include "base/wake.h"

namespace svc::audio {

/// A lock-free ring buffer with one writer thread and one reader thread, safe to use in a sound
/// device's callback.
template <typename Item>
class Ring {
  static_assert(std::is_trivially_copyable_v<Item>);

 public:
  /// Room for at least `capacity` items.
  explicit Ring(std::size_t capacity)
      : m_capacity(std::bit_ceil(std::max<std::size_t>(capacity, 2))),
        m_items(std::make_unique_for_overwrite<Item[]>(m_capacity)) {}

  [[nodiscard]] std::size_t capacity() const noexcept { return m_capacity; }

  /// Number of items available to read. For the reader it is a lower bound.
  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(m_tail.load(std::memory_order_acquire) -
                                    m_head.load(std::memory_order_acquire));
  }

  /// For the writer: writes as many items as fit and returns their number.
  std::size_t write(std::span<const Item> items) noexcept {
    const std::uint64_t tail = m_tail.load(std::memory_order_relaxed);
    const std::uint64_t used = tail - m_head.load(std::memory_order_acquire);
    const std::size_t count = std::min(items.size(), capacity() - static_cast<std::size_t>(used));
    if (count == 0) return 0;
    const std::size_t at = static_cast<std::size_t>(tail) & (capacity() - 1);
    const std::size_t first = std::min(count, capacity() - at);
    std::memcpy(m_items.get() + at, items.data(), first * sizeof(Item));
    std::memcpy(m_items.get(), items.data() + first, (count - first) * sizeof(Item));
    m_tail.store(tail + count, std::memory_order_release);
    return count;
  }

  /// For the reader: fills `items` as far as possible and returns the number of items read.
  std::size_t read(std::span<Item> items) noexcept {
    const std::uint64_t head = m_head.load(std::memory_order_relaxed);
    const std::uint64_t used = m_tail.load(std::memory_order_acquire) - head;
    const std::size_t count = std::min(items.size(), static_cast<std::size_t>(used));
    if (count == 0) return 0;
    const std::size_t at = static_cast<std::size_t>(head) & (capacity() - 1);
    const std::size_t first = std::min(count, capacity() - at);
    std::memcpy(items.data(), m_items.get() + at, first * sizeof(Item));
    std::memcpy(items.data() + first, m_items.get(), (count - first) * sizeof(Item));
    m_head.store(head + count, std::memory_order_release);
    return count;
  }

  /// For the reader: discards the oldest `count` items; clear() discards everything.
  void drop(std::size_t count) noexcept {
    const std::uint64_t head = m_head.load(std::memory_order_relaxed);
    const std::uint64_t used = m_tail.load(std::memory_order_acquire) - head;
    m_head.store(head + std::min<std::uint64_t>(count, used), std::memory_order_release);
  }
  void clear() noexcept { drop(size()); }

 private:
  std::size_t m_capacity;
  std::unique_ptr<Item[]> m_items;  // uninitialised: unused memory is never touched
  // On separate cache lines, because different threads write them.
  alignas(64) std::atomic<std::uint64_t> m_tail = 0;
  alignas(64) std::atomic<std::uint64_t> m_head = 0;
};

/// A block played or captured by a device.
struct BlockTime {
  std::uint64_t frame = 0;   ///< first frame, counted over all blocks, silent ones included
  std::uint64_t given = 0;   ///< program frames played before it (playback)
  std::uint32_t count = 0;   ///< number of frames
  std::uint32_t real = 0;    ///< number of leading frames that are the program's (playback)
  Clock::time_point when{};  ///< when its first frame is heard or was captured
};

/// Timestamps of a device's newest blocks. The callback writes them; any thread reads them without
/// locks.
class BlockTimes {
 public:
  /// Called from the callback.
  void add(const BlockTime& block) noexcept;

  /// Discards the earlier blocks. Must not be called while a callback may run.
  void forget() noexcept { m_first.store(count(), std::memory_order_release); }

  /// Total number of blocks added.
  [[nodiscard]] std::uint64_t count() const noexcept {
    return m_count.load(std::memory_order_acquire);
  }

  /// The time at which a frame was captured or is heard, based on the newest block that starts at
  /// or before it.
  [[nodiscard]] std::optional<Clock::time_point> time_of(std::uint64_t frame,
                                                         int rate) const noexcept;

  /// The block heard at `when`, or else the last one before it; the oldest known one if all are
  /// later.
  [[nodiscard]] std::optional<BlockTime> at(Clock::time_point when) const noexcept;

 private:
  struct Slot {
    std::atomic<std::uint64_t> frame = 0;
    std::atomic<std::uint64_t> given = 0;
    std::atomic<std::uint32_t> count = 0;
    std::atomic<std::uint32_t> real = 0;
    std::atomic<std::int64_t> when = 0;
  };
  static constexpr std::uint64_t k_slots = 256;  // five seconds of 20 ms blocks
  static constexpr std::uint64_t k_kept = 224;   // the other slots may be overwritten during a read

  /// The newest block that satisfies `fits`, or the oldest known block if none does.
  template <typename Fits>
  [[nodiscard]] std::optional<BlockTime> newest(Fits fits) const noexcept;
  [[nodiscard]] BlockTime read(std::uint64_t index) const noexcept;

  std::array<Slot, k_slots> m_slots{};
  std::atomic<std::uint64_t> m_count = 0;
  std::atomic<std::uint64_t> m_first = 0;  ///< value of m_count at the last forget()
};

/// A level measured by one thread and shown by another: rises at once, falls within 100 ms.
class SharedLevel {
 public:
  void follow(const Level& level) noexcept {
    constexpr double k_fall = 0.8;  // per block
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

/// Passes audio from a microphone's callback to the thread that reads it.
class CaptureFeed {
 public:
  /// `format` is the device's; `ring` is the ring buffer's length.
  CaptureFeed(const Format& format, std::chrono::milliseconds ring, Timer timer);

  /// Called from the callback at time `now`; the first frame was captured at `when`.
  void push(std::span<const Sample> samples, Clock::time_point when,
            Clock::time_point now) noexcept;

  /// Fires `timer` once the ring holds `samples` samples, but no later than `latest`.
  void wake(std::size_t samples, Clock::time_point latest);

  /// When the newest frames arrived.
  [[nodiscard]] Clock::time_point arrived() const noexcept {
    return Clock::time_point(Clock::duration(m_arrived.load(std::memory_order_acquire)));
  }

  Ring<Sample> ring;
  Timer timer;
  BlockTimes times{};
  SharedLevel level{};
  std::atomic<std::uint64_t> lost = 0;  ///< frames dropped because the ring was full

 private:
  static constexpr std::size_t k_never = std::numeric_limits<std::size_t>::max();

  std::size_t m_channels;
  std::atomic<std::size_t> m_wake_threshold = k_never;  // samples in the ring that fire the timer
  std::uint64_t m_frame = 0;                            // used only by the callback
  std::atomic<std::int64_t> m_arrived = 0;
};

/// Passes audio from the writing thread to a speaker's callback.
class PlaybackFeed {
 public:
  PlaybackFeed(const Format& format, std::chrono::milliseconds ring,
               std::chrono::milliseconds prebuffer, bool tapped);

  /// Called from the callback: fills `samples`, whose first frame will be heard at `when`.
  void pull(std::span<Sample> samples, Clock::time_point when) noexcept;

  /// Number of the ring's frames heard by `when`, since the last restart().
  [[nodiscard]] std::uint64_t heard(Clock::time_point when) const noexcept;

  /// Empties the ring and sets the frame count to `given`. Must not be called while a callback may
  /// run.
  void restart(std::uint64_t given) noexcept;

  Ring<Sample> ring;
  Ring<Sample> tap;  ///< everything played, silence included; empty unless `tapped`
  BlockTimes times{};
  SharedLevel level{};
  std::atomic<bool> paused = false;
  std::atomic<bool> finishing = false;  ///< play even fewer samples than the prebuffer

 private:
  Format m_format;
  std::size_t m_channels;
  std::size_t m_prebuffer;  ///< in samples
  bool m_tapped;
  bool m_running = false;                  // used only by the callback
  std::uint64_t m_frame = 0;               // used only by the callback
  std::atomic<std::uint64_t> m_given = 0;  // in frames
};

/// Detects a stream that is active but whose callbacks have stopped.
class Watchdog {
 public:
  explicit Watchdog(Milliseconds timeout) noexcept : m_timeout(timeout) {}

  /// Restarts the time measurement.
  void reset(Clock::time_point now) noexcept;

  /// Call regularly with the number of callbacks so far. Returns false if there has been no
  /// callback for longer than the patience, or three times as long before the first one. Each call
  /// counts for at most 250 ms, so that a suspended program does not report a dead device.
  [[nodiscard]] bool alive(std::uint64_t callbacks, Clock::time_point now) noexcept;

 private:
  Milliseconds m_timeout;
  std::uint64_t m_seen = 0;
  Clock::time_point m_last_check{};
  Clock::duration m_silence{0};
};

}  // namespace svc::audio
