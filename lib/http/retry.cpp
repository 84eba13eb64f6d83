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
constexpr int k_retry_price = 5;
constexpr int k_timeout_price = 10;
constexpr milliseconds k_undated_limit{60'000};

std::optional<std::string_view> find_header(std::span<const Header> headers,
                                            std::string_view name) {
  for (const Header& each : headers) {
    if (equals_ignore_case(each.name, name)) return trim(each.value);
  }
  return std::nullopt;
}

/// Converts a positive, finite number of units to milliseconds; at most a year, which exceeds any
/// limit.
std::optional<milliseconds> positive_time(std::string_view text, double unit_ms) {
  const auto number = parse_number(text);
  if (!number || !std::isfinite(*number) || *number <= 0) return std::nullopt;
  constexpr double k_year_ms = 365.0 * 24 * 3600 * 1000;
  return milliseconds(static_cast<std::int64_t>(std::ceil(std::min(*number * unit_ms, k_year_ms))));
}

/// "24 h", "90 s": hours without zero minutes.
std::string wait_text(milliseconds wait) {
  const auto hours = std::chrono::duration_cast<std::chrono::hours>(wait);
  if (hours.count() > 0 && hours == wait) return fmt::format("{} h", hours.count());
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(wait);
  if (hours.count() == 0 && minutes.count() > 0 && minutes == wait)
    return fmt::format("{} min", minutes.count());
  return format_duration(wait);
}

RetryDecision stop(std::string reason) {
  return RetryDecision{.reason = std::move(reason)};
}

/// Judges an error of the transport. Sets `reason` and, if a retry is allowed, `retry`.
RetryDecision judge_failure(const RetryPolicy& policy, const Attempt& attempt) {
  RetryDecision decision;
  const Fault fault = *attempt.fault;
  const bool lost = attempt.sent && !attempt.answered && attempt.repeat != Repeat::Always;
  decision.may_have_run = lost;
  if (fault != Fault::Network && fault != Fault::Timeout) {
    decision.reason = "the request was cancelled";
  } else if (attempt.permanent) {
    decision.reason = "a retry would fail the same way";
  } else if (fault == Fault::Timeout && (attempt.sent || !policy.repeat_connect_timeouts)) {
    decision.reason = "the timeout expired";
  } else if (!attempt.sent) {
    decision.retry = true;
    decision.reason = "the request was not sent";
  } else if (attempt.repeat == Repeat::Always) {
    decision.retry = true;
    decision.reason = "the response was lost";
  } else {
    decision.reason = "the request may have been processed and cannot be retried safely";
  }
  return decision;
}

/// Judges a status that may differ on a later attempt.
RetryDecision judge_status(const Attempt& attempt) {
  const int status = attempt.status;
  RetryDecision decision{.reason = fmt::format("the service answered {}", status)};
  if (status == 429 && attempt.credits_used_up) {
    decision.reason = "no credits left";
    return decision;
  }
  const auto wish = find_header(attempt.headers, "x-should-retry");
  if (wish && equals_ignore_case(*wish, "false")) {
    decision.reason += " and asked not to retry";
    return decision;
  }
  const bool forced = wish && equals_ignore_case(*wish, "true");
  // Unimplemented features stay so; 525 and 526 are certificate errors between the edge and the
  // service.
  const bool lasting = status == 501 || status == 505 || status == 525 || status == 526;
  const bool passing =
      status == 408 || status == 409 || (status >= 500 && status <= 599 && !lasting);
  decision.retry = forced || status == 429 || (passing && attempt.repeat != Repeat::Never);
  return decision;
}

/// The reason why a retry permitted by the failure is not made, or "" if it is made.
std::string veto(const RetryPolicy& policy, const Attempt& attempt, const RetryDecision& decision) {
  if (attempt.handed_out) return "part of the response was already output";
  if (decision.asked && *decision.asked > policy.max_wait)
    return fmt::format("retry after {}", wait_text(*decision.asked));
  if (attempt.retries_made < policy.max_retries) return {};
  if (attempt.retries_made == 0) return decision.reason;
  return fmt::format("{}, even after {} {}", decision.reason, attempt.retries_made,
                     attempt.retries_made == 1 ? "retry" : "retries");
}

}  // namespace

bool RetryQuota::take(bool after_timeout) {
  const std::lock_guard lock(m_mutex);
  const int price = after_timeout ? k_timeout_price : k_retry_price;
  if (m_tokens < price) return false;
  m_tokens -= price;
  return true;
}

void RetryQuota::give_back() {
  const std::lock_guard lock(m_mutex);
  m_tokens = std::min(m_tokens + 1, k_full_quota);
}

int RetryQuota::left() const {
  const std::lock_guard lock(m_mutex);
  return m_tokens;
}

std::optional<milliseconds> parse_retry_after(std::span<const Header> headers, std::int64_t now) {
  if (const auto text = find_header(headers, "retry-after-ms")) {
    if (const auto wait = positive_time(*text, 1)) return wait;
  }
  const auto text = find_header(headers, "retry-after");
  if (!text) return std::nullopt;
  if (const auto wait = positive_time(*text, 1000)) return wait;
  const auto date = parse_http_date(*text);
  if (!date) return std::nullopt;
  const auto own_date_text = find_header(headers, "date");
  const auto own_date = own_date_text ? parse_http_date(*own_date_text) : std::nullopt;
  const std::int64_t seconds = *date - own_date.value_or(now);
  if (seconds <= 0) return std::nullopt;
  const milliseconds wait = std::chrono::seconds(std::min<std::int64_t>(seconds, 31'536'000));
  return own_date ? wait : std::min(wait, k_undated_limit);
}

milliseconds backoff(int retries_made, bool limited, double jitter) {
  const std::int64_t first = limited ? 1000 : 250;
  const std::int64_t most = limited ? 30'000 : 8'000;
  const std::int64_t full = std::min(most, first << std::clamp(retries_made, 0, 16));
  return milliseconds(static_cast<std::int64_t>(static_cast<double>(full) * (0.5 + jitter / 2)));
}

RetryDecision decide(const RetryPolicy& policy, const Attempt& attempt, RetryQuota& quota,
                     double jitter, std::int64_t now) {
  if (!attempt.fault && !attempt.answered) return stop("no attempt was made");
  // An error status counts even if its body is incomplete: the head is sufficient.
  const bool cut_short = attempt.fault == Fault::Network && attempt.status >= 400;
  const bool by_status = attempt.answered && (!attempt.fault || cut_short);
  RetryDecision decision = by_status ? judge_status(attempt) : judge_failure(policy, attempt);
  if (by_status) decision.asked = parse_retry_after(attempt.headers, now);
  if (!decision.retry) return decision;
  if (std::string reason = veto(policy, attempt, decision); !reason.empty()) {
    decision.retry = false;
    decision.too_long = !attempt.handed_out && decision.asked && *decision.asked > policy.max_wait;
    decision.used_up =
        !attempt.handed_out && !decision.too_long && attempt.retries_made >= policy.max_retries;
    decision.reason = std::move(reason);
    return decision;
  }
  const bool timeout = attempt.fault == Fault::Timeout ||
                       (by_status && (attempt.status == 408 || attempt.status == 504));
  if (!quota.take(timeout)) {
    decision.retry = false;
    decision.reason += "; retries stopped: too many requests failed in this run";
    return decision;
  }
  const bool limited = by_status && attempt.status == 429;
  decision.wait = decision.asked.value_or(backoff(attempt.retries_made, limited, jitter));
  return decision;
}

double random_jitter() {
  std::random_device source;
  return std::uniform_real_distribution<double>(0.0, 1.0)(source);
}

}  // namespace svc::http
