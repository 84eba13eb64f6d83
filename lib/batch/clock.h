// Time in bulk runs: rate limits, interruptible pauses, and a clock that tests control.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>

#include "base/result.h"

namespace svc::batch {

using std::chrono::milliseconds;

/// Allows at most `count` events within any `window`.
class RateLimit {
 public:
  RateLimit(std::size_t count, milliseconds window) : m_count(count), m_window(window) {}

  /// How long to wait at `now` before the next event.
  [[nodiscard]] milliseconds wait(milliseconds now) const;
  /// Records an event.
  void note(milliseconds now);

 private:
  std::size_t m_count;
  milliseconds m_window;
  std::deque<milliseconds> m_times{};
};

struct Clock {
  std::function<milliseconds()> now{};                ///< monotonic
  std::function<Result<void>(milliseconds)> sleep{};  ///< returns the cancel token's error if
                                                      ///< canceled
  std::function<std::int64_t()> unix_now{};           ///< seconds

  /// Waits until the limit allows an event, and records it.
  [[nodiscard]] Result<void> wait_for(RateLimit& limit) const;
};

}  // namespace svc::batch
