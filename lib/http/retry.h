// Whether to send a request again, and when: pure rules.
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

/// How far a request may be repeated when it may have run.
enum class Repeat : std::uint8_t {
  Never,        ///< creates something: only what was not sent, and what the service sent back (429)
  WhenRefused,  ///< also after 408, 409 and 5xx; not after a lost answer
  Always,       ///< reading, or idempotent
};

/// A budget over the whole run that keeps retries from becoming a storm: 500 tokens, 5 for a retry,
/// 10 for one after a timeout, 1 back for each success. Thread-safe.
class RetryQuota {
 public:
  /// Takes the price of one retry; false when the budget does not hold it.
  [[nodiscard]] bool take(bool after_timeout);
  /// A request succeeded.
  void give_back();
  [[nodiscard]] int left() const;

 private:
  mutable std::mutex m_mutex;
  int m_tokens = 500;
};

struct RetryPolicy {
  int max_retries = 2;
  milliseconds max_wait{60'000};  ///< a longer wait that the service asks for ends the call
  /// Repeats a request whose connection timed out. For unattended bulk work; who waits at a
  /// terminal has said how long with --connect-timeout.
  bool repeat_connect_timeouts = false;
};

/// What is known after an attempt that did not succeed.
struct Attempt {
  int retries_made = 0;  ///< before this attempt
  Repeat repeat = Repeat::Never;
  bool sent = false;                  ///< Outcome::sent
  bool answered = false;              ///< Outcome::answered
  bool permanent = false;             ///< Outcome::permanent
  std::optional<Fault> fault{};       ///< of the exchange; nothing when a whole answer arrived
  int status = 0;                     ///< when answered
  std::span<const Header> headers{};  ///< of the answer
  bool handed_out = false;            ///< an event or a byte of the body has reached the user
  bool credits_used_up = false;       ///< a 429 that no waiting will mend
};

struct RetryDecision {
  bool retry = false;
  milliseconds wait{0};  ///< before the next attempt
  /// For -v, or for the hint of the final error: "the service answered 503", "retry after 24 h".
  std::string reason{};
  /// The request went out, no answer came, and it must not be repeated: exit 11, unless the fault
  /// is a timeout or an interruption, which keep their own class.
  bool may_have_run = false;
  /// What the service asked to wait, when it did.
  std::optional<milliseconds> asked{};
  /// Nothing but the number of retries speaks against another one.
  bool used_up = false;
  /// Nothing but the wait that was asked for speaks against it.
  bool too_long = false;
};

/// What `retry-after-ms`, else `Retry-After` (seconds, or an HTTP date counted from the answer's
/// own `Date`), asks for; nothing for zero, negative, non-finite or unreadable values. A date
/// without a `Date` beside it is counted from `now` (Unix seconds) and cut to a minute: one of the
/// two clocks may be wrong.
[[nodiscard]] std::optional<milliseconds> parse_retry_after(std::span<const Header> headers,
                                                            std::int64_t now);

/// The wait before retry number `retries_made` + 1 when the service asks for none: 250 ms doubling
/// up to 8 s; after a 429 1 s doubling up to 30 s; times a factor between 0.5 and 1. `jitter` is
/// within [0, 1).
[[nodiscard]] milliseconds backoff(int retries_made, bool limited, double jitter);

/// The decision. Takes from `quota` when it is to retry.
[[nodiscard]] RetryDecision decide(const RetryPolicy& policy, const Attempt& attempt,
                                   RetryQuota& quota, double jitter, std::int64_t now);

/// A number within [0, 1) from the system's generator.
[[nodiscard]] double random_jitter();

}  // namespace svc::http
