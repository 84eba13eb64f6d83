#include <chrono>
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "client/rate_limiter.h"

using namespace svc;
using namespace std::chrono_literals;

namespace {

http::HttpHead head_with(const std::string& requests, const std::string& tokens = "",
                         const std::string& token_limit = "") {
  http::HttpHead head;
  head.status = 200;
  if (!requests.empty()) head.headers.push_back({"x-ratelimit-remaining-requests", requests});
  if (!tokens.empty()) head.headers.push_back({"x-ratelimit-remaining-tokens", tokens});
  if (!token_limit.empty()) head.headers.push_back({"x-ratelimit-limit-tokens", token_limit});
  return head;
}

const RateLimiter::Time k_now = RateLimiter::Time() + 1000s;

/// How many calls go out at once at `now`, with `under_way` out.
int burst(RateLimiter gate, std::size_t under_way, RateLimiter::Time now) {
  int count = 0;
  for (; count < 100; ++count) {
    const auto open = gate.next(under_way + static_cast<std::size_t>(count));
    if (!open || *open > now) break;
    gate.sent();
  }
  return count;
}

}  // namespace

TEST_CASE("a service that says nothing of limits holds nothing back") {
  RateLimiter gate;
  CHECK(burst(gate, 0, k_now) == 100);
  gate.answered(head_with(""), 5, k_now);
  gate.answered(head_with("junk"), 5, k_now);
  CHECK(burst(gate, 5, k_now) == 100);
}

TEST_CASE("no more calls go out than are left, those on their way included") {
  RateLimiter gate;
  gate.answered(head_with("8"), 3, k_now);
  CHECK(burst(gate, 3, k_now) == 5);
  gate.answered(head_with("2"), 3, k_now);
  CHECK(burst(gate, 3, k_now) == 0);
  gate.answered(head_with("2"), 0, k_now);
  CHECK(burst(gate, 0, k_now) == 2);
  // Nothing left and nothing under way: one call finds out.
  gate.sent();
  gate.sent();
  CHECK(burst(gate, 0, k_now) == 1);
}

TEST_CASE("a window that is used up is probed by one call, later each time") {
  RateLimiter gate;
  gate.answered(head_with("0"), 2, k_now);
  gate.answered(head_with("0"), 1, k_now);
  gate.answered(head_with("0"), 0, k_now);
  CHECK(burst(gate, 0, k_now + 999ms) == 0);
  CHECK(burst(gate, 0, k_now + 1s) == 1);
  gate.sent();
  gate.answered(head_with("0"), 0, k_now + 1s);
  CHECK(burst(gate, 0, k_now + 2s) == 0);
  CHECK(burst(gate, 0, k_now + 3s) == 1);
  gate.answered(head_with("60"), 0, k_now + 3s);
  CHECK(burst(gate, 0, k_now + 3s) == 60);
}

TEST_CASE("used up tokens count, unless there is no limit of them") {
  RateLimiter gate;
  gate.answered(head_with("50", "0", "0"), 0, k_now);
  CHECK(burst(gate, 0, k_now) == 50);
  gate.answered(head_with("50", "0", "10000"), 0, k_now);
  CHECK(burst(gate, 0, k_now) == 0);
  CHECK(burst(gate, 0, k_now + 1s) == 1);
}

TEST_CASE("a refusal holds all calls back, and the longest one counts") {
  RateLimiter gate;
  gate.hold(k_now + 5s);
  gate.hold(k_now + 2s);
  CHECK(burst(gate, 3, k_now + 4s) == 0);
  CHECK(burst(gate, 3, k_now + 5s) == 100);
}
