// When the newest blocks of a device begin: written by its callback, read by anybody, without
// locks.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "audio/format.h"

namespace svc::audio {

/// A block that went to or came from a device.
struct BlockTime {
  std::uint64_t frame = 0;   ///< its first, counted over all blocks, silent ones too
  std::uint64_t given = 0;   ///< frames of the program's own before it (playback)
  std::uint32_t count = 0;   ///< its frames
  std::uint32_t real = 0;    ///< of them the program's own, from the first on (playback)
  Clock::time_point when{};  ///< when its first frame is heard, or was captured
};

class BlockTimes {
 public:
  /// From the callback.
  void add(const BlockTime& block) noexcept;

  /// Those before do not count any more; while there is no callback.
  void forget() noexcept;

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

}  // namespace svc::audio
