// When the next of several calls may go out: the service says how many are left in its window,
// and one refusal counts for all of them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "http/transport.h"

namespace svc {

/// Pure: the caller passes the time. A window that is used up opens again when the service says
/// so (`x-ratelimit-reset-requests`, `-tokens`), else a minute after it began where the service
/// names its limit; a service that says neither is probed by one call at a time, each a while after
/// the last.
class RateLimiter {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// A window that opens later than after `longest` is not waited for: the service's refusal says
  /// more.
  explicit RateLimiter(std::chrono::milliseconds longest = std::chrono::minutes(1))
      : m_longest(longest) {}

  /// A call went out.
  void sent() noexcept;
  /// An answer's head arrived, with `under_way` other calls still out.
  void answered(const http::HttpHead& head, std::size_t under_way, Time now);
  /// The service asked to wait: nothing goes out before `until`.
  void hold(Time until) noexcept { m_closed_until = std::max(m_closed_until, until); }

  /// When a call may go out, with `under_way` out; nothing: not before one of those is answered.
  [[nodiscard]] std::optional<Time> next(std::size_t under_way) const noexcept;
  /// Nothing goes out before.
  [[nodiscard]] Time closed_until() const noexcept { return m_closed_until; }

 private:
  struct Window;
  [[nodiscard]] Time opens(const Window& window, Time now);

  std::chrono::milliseconds m_longest;
  std::optional<std::int64_t> m_left{};  ///< in this window, as far as is known
  Time m_closed_until{};
  int m_probes = 0;         ///< in a row that found nothing left
  std::int64_t m_last = 0;  ///< left by the last answer, those under way included
  Time m_last_at{};
  std::optional<Time> m_window_begin{};  ///< its first answer
  Time m_tried{};                        ///< the moment of opening for which a call went out
};

}  // namespace svc
