// Decides whether and when to retry a request. No I/O.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "base/message.h"
#include "base/result.h"

namespace svc::http {

using std::chrono::milliseconds;

/// A retry budget for the whole run, which prevents retry storms: 500 tokens; a retry costs 5, a
/// retry after a timeout 10, and each success returns 1. Thread-safe.
class RetryQuota {
 public:
  /// Takes the cost of one retry; false if the budget is insufficient.
  [[nodiscard]] bool spend(bool after_timeout);
  /// Call this after a successful request.
  void replenish();
  [[nodiscard]] int left() const;

 private:
  mutable std::mutex m_mutex;
  int m_tokens = 500;
};

struct RetryPolicy {
  int max_retries = 2;
  milliseconds max_wait{60'000};  ///< a longer Retry-After is not waited for
};

/// The outcome of an attempt that did not succeed.
struct FailedAttempt {
  int retries_made = 0;  ///< before this attempt
  // A request that creates something is retried only if it was not sent, or rejected with 429.
  bool may_repeat_refused = false;    ///< also after 408, 409 and 5xx
  bool may_repeat_lost = false;       ///< also after a lost response: read-only or idempotent
  bool sent = false;                  ///< Outcome::sent
  bool answered = false;              ///< Outcome::answered
  bool permanent = false;             ///< Outcome::permanent
  std::optional<Fault> fault{};       ///< of the transport; nothing if a complete response arrived
  int status = 0;                     ///< valid if answered
  std::span<const Header> headers{};  ///< of the response
  bool output_started = false;        ///< an event or a byte of the body has been output
  bool credits_used_up = false;       ///< a 429 that will not go away by waiting
};

struct RetryDecision {
  bool retry = false;
  milliseconds wait{0};  ///< before the next attempt
  std::string reason{};  ///< of a retry, for -v: "the service answered 503"
  /// The Retry-After of the response, if any.
  std::optional<milliseconds> retry_after{};
  /// Only the maximum number of retries prevents another one.
  bool retries_exhausted = false;
  /// Only the requested delay prevents another one.
  bool too_long = false;
};

/// The delay requested by `retry-after-ms` or else `Retry-After` (seconds, or an HTTP date relative
/// to the response's `Date`); nothing for zero, negative, non-finite or invalid values. A date in a
/// response without `Date` is relative to `now` (Unix seconds) and limited to a minute, because
/// either clock may be wrong.
[[nodiscard]] std::optional<milliseconds> parse_retry_after(std::span<const Header> headers,
                                                            std::int64_t now);

/// The delay before retry number `retries_made` + 1 if the service requests none: 250 ms doubling
/// up to 8 s, or after a 429 1 s doubling up to 30 s, times a factor between 0.5 and 1. `jitter` is
/// within [0, 1).
[[nodiscard]] milliseconds backoff(int retries_made, bool limited, double jitter);

/// Decides whether to retry. Takes from `quota` if so.
[[nodiscard]] RetryDecision decide(const RetryPolicy& policy, const FailedAttempt& attempt,
                                   RetryQuota& quota, double jitter, std::int64_t now);

/// A number within [0, 1) from the system's random generator.
[[nodiscard]] double random_jitter();

}  // namespace svc::http
