// What happens in the callbacks of sound devices: rings, counters, times. No locks, no memory, and
// no system call but one that wakes whoever waits; nothing of any sound library, so that tests can
// be the device.
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
#include "audio/pace_timer.h"

namespace svc::audio {

/// A ring between two threads, one of which writes and one of which reads, without locks: what a
/// sound device's callback may touch.
template <typename Item>
class Ring {
  static_assert(std::is_trivially_copyable_v<Item>);

 public:
  /// Room for at least `capacity` items.
  explicit Ring(std::size_t capacity)
      : m_capacity(std::bit_ceil(std::max<std::size_t>(capacity, 2))),
        m_items(std::make_unique_for_overwrite<Item[]>(m_capacity)) {}

  [[nodiscard]] std::size_t capacity() const noexcept { return m_capacity; }

  /// Items that can be read. Of the two threads the reader sees at least what it says next.
  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(m_tail.load(std::memory_order_acquire) -
                                    m_head.load(std::memory_order_acquire));
  }

  /// From the writer: takes what there is room for, and says how much.
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

  /// From the reader: fills as much of `items` as there is, and says how much.
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

  /// From the reader: forgets all, or the oldest `count`.
  void drop(std::size_t count) noexcept {
    const std::uint64_t head = m_head.load(std::memory_order_relaxed);
    const std::uint64_t used = m_tail.load(std::memory_order_acquire) - head;
    m_head.store(head + std::min<std::uint64_t>(count, used), std::memory_order_release);
  }
  void clear() noexcept { drop(size()); }

 private:
  std::size_t m_capacity;
  std::unique_ptr<Item[]> m_items;  // memory that was never used stays untouched
  // Each on a cache line of its own: they are written by different threads.
  alignas(64) std::atomic<std::uint64_t> m_tail = 0;
  alignas(64) std::atomic<std::uint64_t> m_head = 0;
};

/// A block that went to or came from a device.
struct BlockTime {
  std::uint64_t frame = 0;   ///< its first, counted over all blocks, silent ones too
  std::uint64_t given = 0;   ///< frames of the program's own before it (playback)
  std::uint32_t count = 0;   ///< its frames
  std::uint32_t real = 0;    ///< of them the program's own, from the first on (playback)
  Clock::time_point when{};  ///< when its first frame is heard, or was captured
};

/// When the newest blocks of a device begin: written by its callback, read by anybody, without
/// locks.
class BlockTimes {
 public:
  /// From the callback.
  void add(const BlockTime& block) noexcept;

  /// Those before do not count any more; while there is no callback.
  void forget() noexcept { m_first.store(count(), std::memory_order_release); }

  /// How many were added.
  [[nodiscard]] std::uint64_t count() const noexcept {
    return m_count.load(std::memory_order_acquire);
  }

  /// When a frame was captured, or is heard: from the newest block that does not begin after it.
  [[nodiscard]] std::optional<Clock::time_point> time_of(std::uint64_t frame,
                                                         int rate) const noexcept;

  /// The block that is heard at `when`, or the last before it; the oldest known when all are later.
  [[nodiscard]] std::optional<BlockTime> at(Clock::time_point when) const noexcept;

 private:
  struct Slot {
    std::atomic<std::uint64_t> frame = 0;
    std::atomic<std::uint64_t> given = 0;
    std::atomic<std::uint32_t> count = 0;
    std::atomic<std::uint32_t> real = 0;
    std::atomic<std::int64_t> when = 0;
  };
  static constexpr std::uint64_t k_slots = 256;  // five seconds in blocks of 20 ms
  static constexpr std::uint64_t k_kept = 224;   // the others may be written while one reads

  /// The newest block of which `fits` is true; the oldest known when it is of none.
  template <typename Fits>
  [[nodiscard]] std::optional<BlockTime> newest(Fits fits) const noexcept;
  [[nodiscard]] BlockTime read(std::uint64_t index) const noexcept;

  std::array<Slot, k_slots> m_slots{};
  std::atomic<std::uint64_t> m_count = 0;
  std::atomic<std::uint64_t> m_first = 0;  ///< forget() was called here
};

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
