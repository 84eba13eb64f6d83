// Decides when concurrent requests may be sent: the service reports how many remain in its window,
// and a rejection applies to all requests.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "http/transport.h"

namespace svc {

/// Has no clock: the caller passes the time. An exhausted window reopens when the service says so
/// (`x-ratelimit-reset-requests`, `-tokens`), or a minute after it began if the service reports
/// only its limit; if it reports neither, requests are sent one at a time, with growing pauses.
class RateLimiter {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// A window that reopens later than after `longest` is not awaited: the service's error is more
  /// informative.
  explicit RateLimiter(std::chrono::milliseconds longest = std::chrono::minutes(1))
      : m_longest(longest) {}

  /// Records that a request was sent.
  void sent() noexcept;
  /// Records a response head, with `in_flight` other requests in flight.
  void answered(const http::HttpHead& head, std::size_t in_flight, Time now);
  /// Records a retry delay from the service: nothing is sent before `until`.
  void block_until(Time until) noexcept { m_closed_until = std::max(m_closed_until, until); }

  /// When the next request may be sent, with `in_flight` in flight; empty: not before one of those
  /// is answered.
  [[nodiscard]] std::optional<Time> next(std::size_t in_flight) const noexcept;
  /// Nothing may be sent before this time.
  [[nodiscard]] Time closed_until() const noexcept { return m_closed_until; }

 private:
  struct Window;
  [[nodiscard]] Time opens(const Window& window, Time now);

  std::chrono::milliseconds m_longest;
  std::optional<std::int64_t> m_left{};  ///< remaining in this window, if known
  Time m_closed_until{};
  int m_probes = 0;         ///< consecutive probes that found nothing remaining
  std::int64_t m_last = 0;  ///< remaining after the last response, including requests in flight
  Time m_last_at{};
  std::optional<Time> m_window_begin{};  ///< time of its first response
  Time m_probed_at{};                    ///< the reopening time for which a request was sent
};

}  // namespace svc
