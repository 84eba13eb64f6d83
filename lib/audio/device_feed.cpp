#include "audio/device_feed.h"

namespace svc::audio {
namespace {

std::size_t samples_in(const Format& format, std::chrono::milliseconds time) {
  return static_cast<std::size_t>(frames_in(format, time)) *
         static_cast<std::size_t>(format.channels);
}

}  // namespace

CaptureFeed::CaptureFeed(const Format& format, std::chrono::milliseconds ring_time, Timer alarm)
    : ring(samples_in(format, ring_time)),
      timer(std::move(alarm)),
      m_channels(static_cast<std::size_t>(format.channels)) {}

void CaptureFeed::push(std::span<const Sample> samples, Clock::time_point when,
                       Clock::time_point now) noexcept {
  const auto frames = static_cast<std::uint32_t>(samples.size() / m_channels);
  level.follow(level_of(samples));
  // Writes whole blocks or nothing, so that only whole frames are lost.
  if (ring.capacity() - ring.size() < samples.size()) {
    lost.fetch_add(frames, std::memory_order_relaxed);
  } else {
    ring.write(samples);
  }
  times.add({m_frame, 0, frames, 0, when});
  m_frame += frames;
  m_arrived.store(now.time_since_epoch().count(), std::memory_order_release);
  // A read-modify-write, not a load: it guarantees that wake(), which checks the ring after its own
  // store, sees the new samples.
  if (ring.size() < m_wake_threshold.fetch_add(0)) return;
  m_wake_threshold = k_never;
  timer.fire();
}

void CaptureFeed::wake(std::size_t samples, Clock::time_point latest) {
  m_wake_threshold = k_never;  // no callback fires the timer while it is being armed
  timer.arm(latest);
  m_wake_threshold = samples;
  if (ring.size() >= samples) timer.fire();
}

PlaybackFeed::PlaybackFeed(const Format& format, std::chrono::milliseconds ring_time,
                           std::chrono::milliseconds prebuffer, bool tapped)
    : ring(samples_in(format, ring_time)),
      tap(tapped ? samples_in(format, std::chrono::seconds(2)) : 0),
      m_format(format),
      m_channels(static_cast<std::size_t>(format.channels)),
      m_prebuffer(samples_in(format, prebuffer)),
      m_tapped(tapped) {}

void PlaybackFeed::pull(std::span<Sample> samples, Clock::time_point when) noexcept {
  const std::size_t ready = ring.size();
  const bool may_begin =
      m_running || ready >= m_prebuffer || finishing.load(std::memory_order_acquire);
  std::size_t real = 0;
  if (may_begin && ready > 0 && !paused.load(std::memory_order_acquire)) {
    // Only whole frames: the writer may be halfway through one.
    const std::size_t most = std::min(ready - ready % m_channels, samples.size());
    real = ring.read(samples.first(most));
  }
  m_running = real == samples.size();  // after an underrun the ring refills first
  std::ranges::fill(samples.subspan(real), Sample{0});
  const std::uint64_t given = m_given.load(std::memory_order_relaxed);
  const auto frames = static_cast<std::uint32_t>(samples.size() / m_channels);
  const auto own = static_cast<std::uint32_t>(real / m_channels);
  times.add({m_frame, given, frames, own, when});
  m_given.store(given + own, std::memory_order_release);
  m_frame += frames;
  level.follow(level_of(samples));
  if (m_tapped) tap.write(samples);  // holds two seconds, enough for its reader
}

std::uint64_t PlaybackFeed::heard(Clock::time_point when) const noexcept {
  const auto block = times.at(when);
  if (!block) return m_given.load(std::memory_order_acquire);
  if (when <= block->when) return block->given;
  const auto passed = std::chrono::duration_cast<std::chrono::microseconds>(when - block->when);
  // Rounded down: never reports more than was heard.
  const auto frames = static_cast<std::uint64_t>(passed.count()) *
                      static_cast<std::uint64_t>(m_format.rate) / 1'000'000;
  return block->given + std::min<std::uint64_t>(frames, block->real);
}

void PlaybackFeed::restart(std::uint64_t given) noexcept {
  ring.clear();
  times.forget();
  m_given.store(given, std::memory_order_release);
  finishing.store(false, std::memory_order_release);
  level.set({});
  m_running = false;
}

void BlockTimes::add(const BlockTime& block) noexcept {
  const std::uint64_t count = m_count.load(std::memory_order_relaxed);
  Slot& slot = m_slots[count % k_slots];
  slot.frame.store(block.frame, std::memory_order_release);
  slot.given.store(block.given, std::memory_order_release);
  slot.count.store(block.count, std::memory_order_release);
  slot.real.store(block.real, std::memory_order_release);
  slot.when.store(block.when.time_since_epoch().count(), std::memory_order_release);
  m_count.store(count + 1, std::memory_order_release);
}

BlockTime BlockTimes::read(std::uint64_t index) const noexcept {
  const Slot& slot = m_slots[index % k_slots];
  return {slot.frame.load(std::memory_order_acquire), slot.given.load(std::memory_order_acquire),
          slot.count.load(std::memory_order_acquire), slot.real.load(std::memory_order_acquire),
          Clock::time_point(Clock::duration(slot.when.load(std::memory_order_acquire)))};
}

template <typename Fits>
std::optional<BlockTime> BlockTimes::newest(Fits fits) const noexcept {
  while (true) {
    const std::uint64_t end = count();
    const std::uint64_t first =
        std::max(m_first.load(std::memory_order_acquire), end > k_kept ? end - k_kept : 0);
    std::optional<BlockTime> found;
    std::uint64_t index = end;
    while (index > first) {
      found = read(--index);
      if (fits(*found)) break;
    }
    // Retries if the callback has overwritten the slots just read.
    if (count() - index < k_slots) return found;
  }
}

std::optional<BlockTime> BlockTimes::at(Clock::time_point when) const noexcept {
  return newest([when](const BlockTime& block) { return block.when <= when; });
}

std::optional<Clock::time_point> BlockTimes::time_of(std::uint64_t frame, int rate) const noexcept {
  const auto block = newest([frame](const BlockTime& one) { return one.frame <= frame; });
  if (!block) return std::nullopt;
  const auto ahead = static_cast<std::int64_t>(frame) - static_cast<std::int64_t>(block->frame);
  return block->when + std::chrono::nanoseconds(ahead * 1'000'000'000 / rate);
}

void Watchdog::reset(Clock::time_point now) noexcept {
  m_last_check = now;
  m_silence = Clock::duration(0);
}

bool Watchdog::alive(std::uint64_t callbacks, Clock::time_point now) noexcept {
  constexpr Milliseconds k_max_look{250};
  if (callbacks != m_seen) {
    m_seen = callbacks;
    reset(now);
    return true;
  }
  m_silence += std::min<Clock::duration>(now - m_last_check, k_max_look);
  m_last_check = now;
  // A headset that switches its profile for the microphone takes seconds to start.
  return m_silence < (m_seen == 0 ? 3 : 1) * m_timeout;
}

}  // namespace svc::audio
