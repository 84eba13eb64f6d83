// Decides when concurrent requests may be sent: the service reports how many remain in its window,
// and a rejection applies to all requests.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

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

/// Published limits of a model; 0: none.
struct Pace {
  std::int64_t requests_per_second = 0;
  std::int64_t requests_per_minute = 0;
  std::int64_t tokens_per_minute = 0;

  [[nodiscard]] bool is_limited() const noexcept {
    return requests_per_second > 0 || requests_per_minute > 0 || tokens_per_minute > 0;
  }
};

/// Keeps requests within published limits, so that none is refused: in no second and in no minute
/// are more sent than allowed, wherever it begins.
class Pacer {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Pacer(const Pace& pace);

  /// When a request with `input` tokens may be sent. Its answer is expected to be as long as the
  /// others were on average. A request that alone exceeds a limit may be sent after a whole period
  /// without others.
  [[nodiscard]] Time next(std::int64_t input, Time now);
  /// Records that it is sent as soon as it is on disk and its connection is ready, which may take
  /// seconds. Until then it counts in each period.
  void queued(std::int64_t input) noexcept;
  /// Records that a queued request was sent, and returns its number.
  std::uint64_t sent(std::int64_t input, Time now);
  /// Replaces the expected tokens of a request by those that the service counted.
  void answered(std::uint64_t number, std::int64_t input, std::int64_t output);

 private:
  /// What was sent in the last period.
  struct Period {
    std::int64_t limit = 0;
    std::chrono::milliseconds length{};
    bool of_tokens = false;
    std::size_t first = 0;  ///< index into m_sent of what still counts
    std::int64_t sum = 0;   ///< requests, or tokens without those of expected answers
    std::int64_t open = 0;  ///< requests that are not answered yet
  };
  struct Sent {
    Time at{};
    std::int64_t tokens = 0;
    bool is_open = true;
  };
  /// Tokens of an answer on average; 0: unknown.
  [[nodiscard]] std::int64_t usual_answer() const {
    return m_answers > 0 ? m_output / m_answers : 0;
  }
  /// What a request counts in a period.
  [[nodiscard]] std::int64_t weight(const Period& period, const Sent& sent) const;
  void drop_old(Time now);

  std::vector<Period> m_periods{};
  std::int64_t m_queued = 0;
  std::int64_t m_queued_tokens = 0;
  std::deque<Sent> m_sent{};  ///< of the longest period
  std::uint64_t m_first = 0;  ///< number of its first element
  std::int64_t m_output = 0;  ///< tokens of all answers
  std::int64_t m_answers = 0;
};

}  // namespace svc
