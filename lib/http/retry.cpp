#include "http/retry.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string_view>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"

namespace svc::http {
namespace {

constexpr int k_full_quota = 500;
constexpr int k_retry_cost = 5;
constexpr int k_timeout_cost = 10;
constexpr milliseconds k_undated_limit{60'000};

/// Converts a positive, finite number of units to milliseconds; at most a year, which exceeds any
/// limit.
std::optional<milliseconds> positive_time(std::string_view text, double unit_ms) {
  const auto number = parse_number(text);
  if (!number || *number <= 0) return std::nullopt;
  constexpr double k_year_ms = 365.0 * 24 * 3600 * 1000;
  return milliseconds(static_cast<std::int64_t>(std::ceil(std::min(*number * unit_ms, k_year_ms))));
}

/// Whether an error of the transport permits a retry.
bool may_retry_failure(const FailedAttempt& attempt) {
  return attempt.fault == Fault::Network && !attempt.permanent &&
         (!attempt.sent || attempt.may_repeat_lost);
}

/// Whether a status may differ on a later attempt, which the request permits.
bool may_retry_status(const FailedAttempt& attempt) {
  const int status = attempt.status;
  if (status == 429 && attempt.credits_used_up) return false;
  const auto should_retry = trim(find_header(attempt.headers, "x-should-retry").value_or(""));
  if (equals_ignore_case(should_retry, "false")) return false;
  if (equals_ignore_case(should_retry, "true")) return true;
  // Unimplemented features stay so; 525 and 526 are certificate errors between the edge and the
  // service.
  const bool permanent = status == 501 || status == 505 || status == 525 || status == 526;
  const bool transient =
      status == 408 || status == 409 || (status >= 500 && status <= 599 && !permanent);
  return status == 429 || (transient && attempt.may_repeat_refused);
}

}  // namespace

bool RetryQuota::spend(bool after_timeout) {
  const std::lock_guard lock(m_mutex);
  const int cost = after_timeout ? k_timeout_cost : k_retry_cost;
  if (m_tokens < cost) return false;
  m_tokens -= cost;
  return true;
}

void RetryQuota::replenish() {
  const std::lock_guard lock(m_mutex);
  m_tokens = std::min(m_tokens + 1, k_full_quota);
}

int RetryQuota::left() const {
  const std::lock_guard lock(m_mutex);
  return m_tokens;
}

std::optional<milliseconds> parse_retry_after(std::span<const Header> headers, std::int64_t now) {
  const auto value = [&](std::string_view name) {
    return trim(find_header(headers, name).value_or(""));
  };
  if (const auto wait = positive_time(value("retry-after-ms"), 1)) return wait;
  const std::string_view text = value("retry-after");
  if (const auto wait = positive_time(text, 1000)) return wait;
  const auto date = parse_http_date(text);
  if (!date) return std::nullopt;
  const auto response_date = parse_http_date(value("date"));
  const std::int64_t seconds = *date - response_date.value_or(now);
  if (seconds <= 0) return std::nullopt;
  const milliseconds wait = std::chrono::seconds(std::min<std::int64_t>(seconds, 31'536'000));
  return response_date ? wait : std::min(wait, k_undated_limit);
}

milliseconds backoff(int retries_made, bool limited, double jitter) {
  const std::int64_t first = limited ? 1000 : 250;
  const std::int64_t most = limited ? 30'000 : 8'000;
  const std::int64_t full = std::min(most, first << std::clamp(retries_made, 0, 16));
  return milliseconds(static_cast<std::int64_t>(static_cast<double>(full) * (0.5 + jitter / 2)));
}

RetryDecision decide(const RetryPolicy& policy, const FailedAttempt& attempt, RetryQuota& quota,
                     double jitter, std::int64_t now) {
  // An error status counts even if its body is incomplete: the head is sufficient.
  const bool cut_short = attempt.fault == Fault::Network && attempt.status >= 400;
  const bool by_status = attempt.answered && (!attempt.fault || cut_short);
  RetryDecision decision;
  if (by_status) decision.retry_after = parse_retry_after(attempt.headers, now);
  const bool permitted = by_status ? may_retry_status(attempt) : may_retry_failure(attempt);
  if (!permitted || attempt.output_started) return decision;
  decision.too_long = decision.retry_after && *decision.retry_after > policy.max_wait;
  decision.retries_exhausted = !decision.too_long && attempt.retries_made >= policy.max_retries;
  const bool timeout = by_status && (attempt.status == 408 || attempt.status == 504);
  if (decision.too_long || decision.retries_exhausted || !quota.spend(timeout)) return decision;
  const bool limited = by_status && attempt.status == 429;
  decision.retry = true;
  decision.wait = decision.retry_after.value_or(backoff(attempt.retries_made, limited, jitter));
  decision.reason = by_status      ? fmt::format("the service answered {}", attempt.status)
                    : attempt.sent ? "the response was lost"
                                   : "the request was not sent";
  return decision;
}

double random_jitter() {
  std::random_device source;
  return std::uniform_real_distribution<double>(0.0, 1.0)(source);
}

}  // namespace svc::http
