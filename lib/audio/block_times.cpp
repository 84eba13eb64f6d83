#include "audio/block_times.h"

#include <algorithm>

namespace svc::audio {

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

void BlockTimes::forget() noexcept {
  m_first.store(count(), std::memory_order_release);
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
    // The callback may have come round to what was read: then once more.
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

}  // namespace svc::audio
