// When the next of several calls may go out: the service says how many are left in its window,
// and one refusal counts for all of them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "http/transport.h"

namespace svc {

/// Pure: whoever asks brings the time. The service does not say when its window ends, so a window
/// that is used up is probed by one call at a time, each a while after the last.
class RateLimiter {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// A call went out.
  void sent() noexcept;
  /// An answer's head arrived, with `under_way` other calls still out.
  void answered(const http::HttpHead& head, std::size_t under_way, Time now);
  /// The service asked to wait: nothing goes out before `until`.
  void hold(Time until) noexcept;

  /// When a call may go out, with `under_way` out; nothing: not before one of those is answered.
  [[nodiscard]] std::optional<Time> next(std::size_t under_way) const noexcept;

 private:
  std::optional<std::int64_t> m_left{};  ///< in this window, as far as is known
  Time m_closed_until{};
  int m_probes = 0;  ///< in a row that found nothing left
};

}  // namespace svc
