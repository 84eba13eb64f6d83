// A ring between two threads, one of which writes and one of which reads, without locks: what a
// sound device's callback may touch.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>

namespace svc::audio {

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

}  // namespace svc::audio
