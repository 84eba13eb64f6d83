#include "http/retry.h"

#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/clock.h"

namespace svc::http {
namespace {

constexpr std::int64_t k_now = 1'700'000'000;

using Headers = std::vector<Header>;

enum class Repeat : std::uint8_t { Never, WhenRefused, Always };

FailedAttempt status(int code, Repeat repeat, const Headers& headers = {}) {
  return {.may_repeat_refused = repeat != Repeat::Never,
          .may_repeat_lost = repeat == Repeat::Always,
          .sent = true,
          .answered = true,
          .status = code,
          .headers = headers};
}

RetryDecision judge(const FailedAttempt& attempt, const RetryPolicy& policy = {}) {
  RetryQuota quota;
  return decide(policy, attempt, quota, 0.5, k_now);
}

std::optional<milliseconds> after(const Headers& headers) {
  return parse_retry_after(headers, k_now);
}

}  // namespace

TEST_CASE("row 18: Retry-After as milliseconds, seconds and date") {
  CHECK(after({{"Retry-After", "1"}}) == milliseconds(1000));
  CHECK(after({{"retry-after", " 2.5 "}}) == milliseconds(2500));
  CHECK(after({{"retry-after-ms", "150"}, {"retry-after", "9"}}) == milliseconds(150));
  CHECK(after({{"Retry-After-Ms", "1500.2"}}) == milliseconds(1501));
  CHECK(after({{"Retry-After", "86400"}}) == std::chrono::hours(24));
  CHECK(after({{"Retry-After", format_http_date(k_now + 20)}}) == milliseconds(20'000));
  CHECK_FALSE(after({}));
}

TEST_CASE("reports whether more retries would have helped") {
  RetryPolicy none;
  none.max_retries = 0;
  CHECK(judge(status(503, Repeat::Always), none).retries_exhausted);
  CHECK(judge(status(429, Repeat::Never), none).retries_exhausted);
  CHECK_FALSE(judge(status(503, Repeat::Always)).retries_exhausted);
  CHECK_FALSE(judge(status(503, Repeat::Never), none).retries_exhausted);
  CHECK_FALSE(judge(status(501, Repeat::Always), none).retries_exhausted);
  CHECK_FALSE(judge(status(501, Repeat::Always)).retry);
  const Headers day{{"Retry-After", "86400"}};
  CHECK_FALSE(judge(status(429, Repeat::Never, day), none).retries_exhausted);
  CHECK(judge(status(429, Repeat::Never, day)).too_long);
  CHECK_FALSE(judge(status(503, Repeat::Never, day)).too_long);
  const Headers never{{"x-should-retry", "false"}};
  CHECK_FALSE(judge(status(503, Repeat::Always, never), none).retries_exhausted);
}

TEST_CASE("row 20: an invalid delay is ignored") {
  for (const char* junk : {"-5", "NaN", "nan", "inf", "1e999", "-1e999", "junk", "", "0", "0.0",
                           "0x10", "1 2", "5s", "Sun, 99 Foo 2024 08:49:37 GMT"}) {
    CAPTURE(junk);
    CHECK_FALSE(after({{"Retry-After", junk}}));
    CHECK_FALSE(after({{"retry-after-ms", junk}}));
    const Headers headers{{"Retry-After", junk}};
    const auto decision = judge(status(429, Repeat::Never, headers));
    CHECK(decision.retry);
    CHECK(decision.wait >= milliseconds(500));
  }
  CHECK(after({{"retry-after-ms", "junk"}, {"retry-after", "3"}}) == milliseconds(3000));
  CHECK(after({{"Retry-After", "1e15"}}) == milliseconds(31'536'000'000));
}

TEST_CASE(
    "row 41: a date is relative to the response's own clock, and without one limited to a minute") {
  const std::int64_t server = k_now + 3600;
  CHECK(after({{"Retry-After", format_http_date(server + 5)},
               {"Date", format_http_date(server)}}) == milliseconds(5000));
  CHECK(after({{"Retry-After", format_http_date(k_now - 3600 + 5)},
               {"Date", format_http_date(k_now - 3600)}}) == milliseconds(5000));
  CHECK(after({{"Retry-After", format_http_date(k_now + 3600)}}) == milliseconds(60'000));
  CHECK_FALSE(after({{"Retry-After", format_http_date(k_now)}}));
  CHECK(after({{"Retry-After", format_http_date(k_now + 1)}}) == milliseconds(1000));
  CHECK(after({{"Retry-After", format_http_date(server + 40'000'000)},
               {"Date", format_http_date(server)}}) == milliseconds(31'536'000'000));
  CHECK_FALSE(after({{"Retry-After", format_http_date(k_now - 3600)}}));
}

TEST_CASE("the delay doubles up to its cap, times 0.5 to 1") {
  CHECK(backoff(0, false, 0.0) == milliseconds(125));
  CHECK(backoff(0, false, 0.999999) <= milliseconds(250));
  CHECK(backoff(1, false, 0.0) == milliseconds(250));
  CHECK(backoff(4, false, 0.0) == milliseconds(2000));
  CHECK(backoff(5, false, 0.0) == milliseconds(4000));
  CHECK(backoff(6, false, 0.0) == milliseconds(4000));
  CHECK(backoff(1000, false, 0.0) == milliseconds(4000));
  CHECK(backoff(0, true, 0.0) == milliseconds(500));
  CHECK(backoff(2, true, 0.0) == milliseconds(2000));
  CHECK(backoff(50, true, 0.0) == milliseconds(15'000));
  std::set<double> different;
  for (int i = 0; i < 100; ++i) {
    const double jitter = random_jitter();
    CHECK(jitter >= 0.0);
    CHECK(jitter < 1.0);
    different.insert(jitter);
  }
  CHECK(different.size() > 90);
}

TEST_CASE("statuses that are retried") {
  for (const Repeat repeat : {Repeat::Never, Repeat::WhenRefused, Repeat::Always})
    CHECK(judge(status(429, repeat)).retry);
  for (const int code : {408, 409, 500, 502, 503, 504, 529, 599}) {
    CAPTURE(code);
    CHECK_FALSE(judge(status(code, Repeat::Never)).retry);
    CHECK(judge(status(code, Repeat::WhenRefused)).retry);
    CHECK(judge(status(code, Repeat::Always)).retry);
  }
  for (const int code : {200, 201, 204, 302, 400, 401, 403, 404, 407, 410, 413, 415, 422, 499, 501,
                         505, 525, 526, 600}) {
    CAPTURE(code);
    CHECK_FALSE(judge(status(code, Repeat::Always)).retry);
  }
}

TEST_CASE("a 429 waits longer than other failures, and is not retried if credits are exhausted") {
  CHECK(judge(status(429, Repeat::Never)).wait == milliseconds(750));
  CHECK(judge(status(503, Repeat::Always)).wait == milliseconds(187));
  FailedAttempt broke = status(429, Repeat::Never);
  broke.credits_used_up = true;
  CHECK_FALSE(judge(broke).retry);
  CHECK_FALSE(judge(broke).retries_exhausted);
  const Headers headers{{"x-should-retry", "true"}};
  FailedAttempt forced = status(429, Repeat::Never, headers);
  forced.credits_used_up = true;
  CHECK_FALSE(judge(forced).retry);
}

TEST_CASE("rows 21 and 22: x-should-retry") {
  const Headers no{{"X-Should-Retry", "false"}};
  const Headers yes{{"x-should-retry", "True"}};
  const Headers other{{"x-should-retry", "perhaps"}};
  CHECK_FALSE(judge(status(503, Repeat::Always, no)).retry);
  CHECK_FALSE(judge(status(429, Repeat::Always, no)).retry);
  CHECK(judge(status(400, Repeat::Always, yes)).retry);
  CHECK(judge(status(400, Repeat::Never, yes)).retry);
  CHECK(judge(status(500, Repeat::Never, yes)).retry);
  CHECK_FALSE(judge(status(400, Repeat::Always, other)).retry);
  CHECK(judge(status(503, Repeat::Always, other)).retry);
}

TEST_CASE("row 19: a delay beyond the limit ends the call and is reported") {
  const Headers headers{{"Retry-After", "86400"}};
  const auto decision = judge(status(429, Repeat::Never, headers));
  CHECK_FALSE(decision.retry);
  CHECK(decision.too_long);
  CHECK(decision.retry_after == std::chrono::hours(24));
  CHECK(judge(status(429, Repeat::Never, headers), {.max_wait = std::chrono::hours(24)}).retry);
  const Headers minute{{"Retry-After", "60"}};
  CHECK(judge(status(429, Repeat::Never, minute)).wait == milliseconds(60'000));
  const Headers longer{{"Retry-After", "61"}};
  CHECK(judge(status(429, Repeat::Never, longer)).retry_after == milliseconds(61'000));
  CHECK(judge(status(429, Repeat::Never, longer)).too_long);
  CHECK(judge(status(429, Repeat::Never, headers), {.max_retries = 0}).too_long);
}

TEST_CASE("rows 5 and 6: lost responses") {
  FailedAttempt lost{.sent = true, .fault = Fault::Network};
  CHECK_FALSE(judge(lost).retry);
  lost.may_repeat_refused = true;
  CHECK_FALSE(judge(lost).retry);
  lost.may_repeat_lost = true;
  CHECK(judge(lost).retry);
  CHECK(judge(lost).reason == "the response was lost");
}

TEST_CASE("unsent requests are always retried") {
  const FailedAttempt unsent{.fault = Fault::Network};
  CHECK(judge(unsent).retry);
  CHECK(judge(unsent).reason == "the request was not sent");
  FailedAttempt certificate = unsent;
  certificate.permanent = true;
  CHECK_FALSE(judge(certificate).retry);
}

TEST_CASE("timeouts are not retried") {
  FailedAttempt timeout{
      .may_repeat_refused = true, .may_repeat_lost = true, .fault = Fault::Timeout};
  CHECK_FALSE(judge(timeout).retry);
  timeout.sent = true;
  CHECK_FALSE(judge(timeout).retry);
}

TEST_CASE("local failures are not retried") {
  for (const Fault fault : {Fault::Interrupted, Fault::Terminated, Fault::Usage, Fault::Local,
                            Fault::ReaderGone, Fault::Unexpected}) {
    const FailedAttempt attempt{
        .may_repeat_refused = true, .may_repeat_lost = true, .fault = fault};
    CHECK_FALSE(judge(attempt).retry);
  }
}

TEST_CASE(
    "a truncated response: by its status if that is an error, otherwise like a lost response") {
  FailedAttempt cut{.may_repeat_refused = true,
                    .may_repeat_lost = true,
                    .sent = true,
                    .answered = true,
                    .fault = Fault::Network,
                    .status = 200};
  CHECK(judge(cut).retry);
  cut.may_repeat_lost = cut.may_repeat_refused = false;
  CHECK_FALSE(judge(cut).retry);
  cut.status = 503;
  CHECK_FALSE(judge(cut).retry);
  cut.may_repeat_refused = true;
  CHECK(judge(cut).retry);
  CHECK(judge(cut).reason == "the service answered 503");
  cut.may_repeat_lost = true;
  for (const int error : {400, 401, 499, 501}) {
    cut.status = error;
    CHECK_FALSE(judge(cut).retry);
  }
  for (const int no_error : {200, 302, 399}) {
    cut.status = no_error;
    CHECK(judge(cut).retry);
    CHECK(judge(cut).reason == "the response was lost");
  }
}

TEST_CASE("no retry after part of the response was passed on") {
  FailedAttempt cut{.may_repeat_refused = true,
                    .may_repeat_lost = true,
                    .sent = true,
                    .answered = true,
                    .fault = Fault::Network,
                    .status = 200,
                    .output_started = true};
  CHECK_FALSE(judge(cut).retry);
}

TEST_CASE("two retries and no more") {
  FailedAttempt attempt = status(503, Repeat::Always);
  CHECK(judge(attempt).retry);
  CHECK(judge(attempt).reason == "the service answered 503");
  attempt.retries_made = 1;
  CHECK(judge(attempt).retry);
  attempt.retries_made = 2;
  CHECK_FALSE(judge(attempt).retry);
  CHECK(judge(attempt).retries_exhausted);
  CHECK_FALSE(judge(status(503, Repeat::Always), {.max_retries = 0}).retry);
}

TEST_CASE("row 24: the retry quota stops a storm") {
  RetryQuota quota;
  int requests = 0;
  for (int job = 0; job < 1000; ++job) {
    FailedAttempt attempt = status(500, Repeat::Always);
    for (;; ++attempt.retries_made) {
      ++requests;
      if (!decide({}, attempt, quota, 0.5, k_now).retry) break;
    }
  }
  CHECK(requests == 1100);
  CHECK(quota.left() == 0);
  quota.replenish();
  CHECK(quota.left() == 1);
  CHECK_FALSE(quota.spend(false));
  for (int i = 0; i < 1000; ++i) quota.replenish();
  CHECK(quota.left() == 500);
  CHECK(quota.spend(true));
  CHECK(quota.left() == 490);
  CHECK(quota.spend(false));
  CHECK(quota.left() == 485);
}

TEST_CASE("a refused retry costs nothing") {
  RetryQuota quota;
  (void)decide({}, status(404, Repeat::Always), quota, 0.5, k_now);
  (void)decide({.max_retries = 0}, status(503, Repeat::Always), quota, 0.5, k_now);
  CHECK(quota.left() == 500);
  (void)decide({}, status(504, Repeat::Always), quota, 0.5, k_now);
  CHECK(quota.left() == 490);
}

TEST_CASE("a retry after a timeout, here or at the service, costs twice as much") {
  for (const auto& one : {std::pair(408, 10), std::pair(504, 10), std::pair(503, 5),
                          std::pair(429, 5), std::pair(409, 5)}) {
    CAPTURE(one.first);
    RetryQuota quota;
    CHECK(decide({}, status(one.first, Repeat::Always), quota, 0.5, k_now).retry);
    CHECK(quota.left() == 500 - one.second);
  }
}

}  // namespace svc::http
