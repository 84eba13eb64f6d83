#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

/// How many calls can be sent at once at `now`, with `in_flight` in flight.
int burst(RateLimiter gate, std::size_t in_flight, RateLimiter::Time now) {
  int count = 0;
  for (; count < 100; ++count) {
    const auto open = gate.next(in_flight + static_cast<std::size_t>(count));
    if (!open || *open > now) break;
    gate.sent();
  }
  return count;
}

}  // namespace

TEST_CASE("without reported limits nothing is delayed") {
  RateLimiter gate;
  CHECK(burst(gate, 0, k_now) == 100);
  gate.answered(head_with(""), 5, k_now);
  gate.answered(head_with("junk"), 5, k_now);
  CHECK(burst(gate, 5, k_now) == 100);
}

TEST_CASE("no more calls are sent than remain, including those in flight") {
  RateLimiter gate;
  gate.answered(head_with("8"), 3, k_now);
  CHECK(burst(gate, 3, k_now) == 5);
  gate.answered(head_with("2"), 3, k_now);
  CHECK(burst(gate, 3, k_now) == 0);
  gate.answered(head_with("2"), 0, k_now);
  CHECK(burst(gate, 0, k_now) == 2);
  // Nothing left and nothing in flight: one call probes.
  gate.sent();
  gate.sent();
  CHECK(burst(gate, 0, k_now) == 1);
}

TEST_CASE("an exhausted window is probed by one call, later each time") {
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

TEST_CASE("probes of an exhausted window are at most half a minute apart") {
  RateLimiter gate;
  auto now = k_now;
  for (const auto pause : {1s, 2s, 4s, 8s, 16s, 32s, 32s}) {
    CAPTURE(pause.count());
    gate.answered(head_with("0"), 0, now);
    CHECK(burst(gate, 0, now + pause - 1ms) == 0);
    CHECK(burst(gate, 0, now + pause) == 1);
    now += pause;
    gate.sent();
  }
  gate.answered(head_with("5"), 0, now);
  gate.answered(head_with("0"), 0, now + 2s);  // the pauses begin again
  CHECK(burst(gate, 0, now + 3s) == 1);
}

TEST_CASE("exhausted tokens count, unless they are unlimited") {
  RateLimiter gate;
  gate.answered(head_with("50", "0", "0"), 0, k_now);
  CHECK(burst(gate, 0, k_now) == 50);
  gate.answered(head_with("50", "0", "10000"), 0, k_now);
  CHECK(burst(gate, 0, k_now) == 0);
  CHECK(burst(gate, 0, k_now + 1s) == 1);
}

TEST_CASE("a rejection delays all calls, and the longest delay applies") {
  RateLimiter gate;
  gate.block_until(k_now + 5s);
  gate.block_until(k_now + 2s);
  CHECK(burst(gate, 3, k_now + 4s) == 0);
  CHECK(burst(gate, 3, k_now + 5s) == 100);
}

namespace {

http::HttpHead used_up(const std::string& reset, const std::string& what = "requests") {
  http::HttpHead head = head_with(what == "requests" ? "0" : "7", "0", "1000");
  if (what == "requests") head.headers[1].value = "900";
  head.headers.push_back({"x-ratelimit-limit-requests", "20"});
  head.headers.push_back({"Date", "Tue, 14 Nov 2023 22:13:20 GMT"});  // 1700000000
  head.headers.push_back({"x-ratelimit-reset-" + what, reset});
  return head;
}

}  // namespace

TEST_CASE("an exhausted window reopens when the service says so") {
  const std::vector<std::pair<std::string, std::chrono::milliseconds>> resets = {
      {"2s", 2s},
      {"250ms", 250ms},
      {"1m0s", 60s},
      {"12", 12s},
      {"1.5", 1500ms},
      {"1700000007", 7s},
      {"2023-11-14T22:13:23Z", 3s}};
  for (const auto& reset : resets) {
    const auto& text = reset.first;
    const auto& pause = reset.second;
    for (const char* what : {"requests", "tokens"}) {
      CAPTURE(text);
      CAPTURE(what);
      RateLimiter gate;
      gate.answered(used_up(text, what), 0, k_now);
      CHECK(burst(gate, 0, k_now + pause - 1ms) == 0);
      CHECK(burst(gate, 0, k_now + pause) == 1);
    }
  }
}

TEST_CASE(
    "a response with remaining calls does not close a window that an earlier one found exhausted") {
  RateLimiter gate;
  gate.answered(used_up("0s"), 0, k_now);
  CHECK(burst(gate, 0, k_now) == 1);
  gate.sent();
  gate.answered(head_with("9"), 0, k_now + 500ms);
  CHECK(burst(gate, 0, k_now + 500ms) == 9);
}

TEST_CASE("a slow call does not keep a window closed that has reopened") {
  RateLimiter gate;
  gate.answered(used_up("1s"), 1, k_now);
  CHECK(burst(gate, 1, k_now + 999ms) == 0);
  CHECK(burst(gate, 1, k_now + 1s) == 1);
}

TEST_CASE("numbers that are too large are handled") {
  for (const char* junk : {"1e19", "1e300", "1e17", "99999999999999999999"}) {
    RateLimiter gate;
    gate.answered(used_up(junk), 0, k_now);
    CHECK(burst(gate, 0, k_now) <= 1);
  }
}

TEST_CASE(
    "a window that reopens too late is not waited for, as the rejection's message is clearer") {
  RateLimiter gate(30s);
  gate.answered(used_up("31s"), 0, k_now);
  CHECK(burst(gate, 0, k_now) == 1);
  RateLimiter patient(120s);
  patient.answered(used_up("2m0s"), 0, k_now);
  CHECK(burst(patient, 0, k_now + 119s) == 0);
}

TEST_CASE("without a time, a window lasts a minute from its first response") {
  const auto left = [](const std::string& count) {
    http::HttpHead head = head_with(count);
    head.headers.push_back({"x-ratelimit-limit-requests", "20"});
    return head;
  };
  for (const char* junk : {"", "soon", "-3s", "-1"}) {
    CAPTURE(junk);
    RateLimiter gate;
    gate.answered(left("1"), 0, k_now);
    http::HttpHead last = left("0");
    last.headers.push_back({"x-ratelimit-reset-requests", junk});
    gate.answered(last, 0, k_now + 20s);
    CHECK(burst(gate, 0, k_now + 59s) == 0);
    CHECK(burst(gate, 0, k_now + 60s) == 1);
    // The next window starts with its own first response.
    gate.sent();
    gate.answered(left("19"), 0, k_now + 61s);
    CHECK(burst(gate, 0, k_now + 61s) == 19);
    gate.answered(left("0"), 0, k_now + 70s);
    CHECK(burst(gate, 0, k_now + 120s) == 0);
    CHECK(burst(gate, 0, k_now + 121s) == 1);
  }
}

TEST_CASE("a window begins again when it has more left than late responses explain") {
  const auto left = [](const char* count) {
    http::HttpHead head = head_with(count);
    head.headers.push_back({"x-ratelimit-limit-requests", "20"});
    return head;
  };
  // When the window reopens that had so many left ten seconds after it had five.
  const auto reopens = [&](const char* count, std::size_t in_flight) {
    RateLimiter gate;
    gate.answered(left("5"), in_flight, k_now);
    gate.answered(left(count), in_flight, k_now + 10s);
    gate.answered(left("0"), 0, k_now + 20s);
    return gate.next(0).value() - k_now;
  };
  CHECK(reopens("4", 0) == 60s);
  CHECK(reopens("6", 0) == 60s);
  CHECK(reopens("7", 0) == 70s);
  CHECK(reopens("9", 3) == 60s);
  CHECK(reopens("10", 3) == 70s);
  // After a minute it is another one.
  RateLimiter gate;
  gate.answered(left("5"), 0, k_now);
  gate.answered(left("4"), 0, k_now + 60s);
  gate.answered(left("0"), 0, k_now + 70s);
  CHECK(gate.next(0) == k_now + 120s);
}

TEST_CASE("a response within a second of the last change may be a late one") {
  for (const auto pause : {999ms, 1000ms}) {
    RateLimiter gate;
    gate.answered(head_with("2"), 0, k_now);
    gate.answered(head_with("10"), 0, k_now + pause);
    CHECK(burst(gate, 0, k_now + pause) == (pause == 1000ms ? 10 : 2));
  }
}

TEST_CASE("a window that reopens at once is probed at once") {
  for (const char* reset : {"0", "0s", "0ms", "1700000000", "1699999999"}) {
    CAPTURE(reset);
    RateLimiter gate;
    gate.answered(used_up(reset), 0, k_now);
    CHECK(gate.next(0) == k_now);
  }
}

TEST_CASE("remaining tokens are allotted according to earlier responses") {
  RateLimiter gate;
  // Ten calls, two of them in flight, took 800 of 1000 tokens: 100 each.
  http::HttpHead head = head_with("90", "200", "1000");
  head.headers.push_back({"x-ratelimit-limit-requests", "100"});
  gate.answered(head, 2, k_now);
  CHECK(burst(gate, 2, k_now) == 0);
  gate.answered(head, 0, k_now);
  CHECK(burst(gate, 0, k_now) == 2);
  const auto allotted = [](const std::string& left, const std::string& tokens) {
    RateLimiter one;
    http::HttpHead of_hundred = head_with(left, tokens, "1120");
    of_hundred.headers.push_back({"x-ratelimit-limit-requests", "100"});
    one.answered(of_hundred, 0, k_now);
    return burst(one, 0, k_now);
  };
  CHECK(allotted("90", "320") == 4);  // 80 each
  CHECK(allotted("90", "319") == 3);
  CHECK(allotted("100", "320") == 1);  // as if one call had taken them
  CHECK(allotted("90", "1") == 1);
}

namespace {

/// Requests sent at a pace by as many senders as `jobs`, on a clock of their own.
struct PacedRun {
  struct Request {
    RateLimiter::Time at{};
    std::int64_t tokens = 0;  ///< that it took in the end
  };
  std::vector<Request> sent{};  ///< as the service sees them
  /// How long request k waits for its connection.
  std::function<std::chrono::milliseconds(int)> delay = [](int) { return 0ms; };

  /// Answer k takes `latency(k)` and `tokens(k)`; the estimate of the input is `input`.
  void run(const Pace& pace, int requests, std::size_t jobs, std::int64_t input,
           const std::function<std::chrono::milliseconds(int)>& latency,
           const std::function<std::int64_t(int)>& tokens) {
    struct Flying {
      RateLimiter::Time begin{};
      RateLimiter::Time until{};
      std::uint64_t number = 0;
      std::int64_t tokens = 0;
      bool begun = false;
    };
    Pacer pacer(pace);
    std::vector<Flying> flying;
    auto now = k_now;
    const auto answer_until = [&](RateLimiter::Time time) {
      for (Flying& one : flying) {
        if (one.begin > time || one.begun) continue;
        one.number = pacer.sent(input, one.begin);
        one.begun = true;
      }
      for (std::size_t i = 0; i < flying.size();) {
        if (flying[i].until > time) {
          ++i;
          continue;
        }
        pacer.answered(flying[i].number, input, flying[i].tokens - input);
        flying.erase(flying.begin() + static_cast<std::ptrdiff_t>(i));
      }
    };
    for (int k = 0; k < requests; ++k) {
      answer_until(now);
      if (flying.size() == jobs) {
        now = std::max(now, std::ranges::min(flying, {}, &Flying::until).until);
      }
      answer_until(now);
      // The time is asked for again after each pause, as answers change it.
      for (auto at = pacer.next(input, now); at > now; at = pacer.next(input, now)) {
        now = at;
        answer_until(now);
      }
      const auto begin = now + delay(k);
      pacer.queued(input);
      flying.push_back({.begin = begin, .until = begin + latency(k), .tokens = tokens(k)});
      sent.push_back({begin, tokens(k)});
    }
    std::ranges::sort(sent, {}, &Request::at);
  }

  /// The most requests, or tokens, in any period of this length.
  [[nodiscard]] std::int64_t most(std::chrono::milliseconds length, bool of_tokens) const {
    std::int64_t most = 0;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      std::int64_t sum = 0;
      for (std::size_t j = i; j < sent.size() && sent[j].at < sent[i].at + length; ++j) {
        sum += of_tokens ? sent[j].tokens : 1;
      }
      most = std::max(most, sum);
    }
    return most;
  }

  [[nodiscard]] std::chrono::milliseconds duration() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(sent.back().at - sent.front().at);
  }
};

}  // namespace

TEST_CASE("at a pace, no period has more requests than are allowed, and none is wasted") {
  for (const std::int64_t rate : {1, 2, 3, 10, 166, 1'000}) {
    for (const std::size_t jobs : {1U, 4U, 64U}) {
      for (const int slow : {1, 40, 700, 5'000}) {
        CAPTURE(rate);
        CAPTURE(jobs);
        CAPTURE(slow);
        const int requests = static_cast<int>(std::min<std::int64_t>(5 * rate + 3, 600));
        PacedRun run;
        run.run(
            {.requests_per_second = rate}, requests, jobs, 10,
            [&](int k) { return std::chrono::milliseconds(1 + k * 37 % slow); },
            [](int) { return 20; });
        CHECK(run.most(1s, false) <= rate);
        if (jobs == 64 && slow == 1 && requests > 64) {
          CHECK(run.duration() <= std::chrono::milliseconds(1'050 * (requests / rate + 1)));
        }
      }
    }
  }
}

TEST_CASE("requests that wait for their connections are counted when they leave") {
  for (const std::int64_t rate : {1, 3, 10, 166}) {
    for (const int connect : {20, 90, 300, 1'500, 7'000}) {
      for (const int first : {1, 4, 64}) {
        CAPTURE(rate);
        CAPTURE(connect);
        CAPTURE(first);
        PacedRun run;
        // The first requests open connections, which the others use.
        run.delay = [&](int k) {
          return std::chrono::milliseconds(k < first ? connect - k * 13 % 20 : 0);
        };
        run.run(
            {.requests_per_second = rate}, static_cast<int>(std::min<std::int64_t>(5 * rate, 500)),
            64, 10, [](int k) { return std::chrono::milliseconds(5 + k % 7); },
            [](int) { return 20; });
        CHECK(run.most(1s, false) <= rate);
      }
    }
  }
}

TEST_CASE("at a pace, no minute has more tokens than are allowed") {
  for (const std::int64_t limit : {1'000, 10'000, 250'000}) {
    for (const std::size_t jobs : {1U, 8U, 64U}) {
      CAPTURE(limit);
      CAPTURE(jobs);
      PacedRun run;  // answers that are as long as the first ones
      run.run(
          {.tokens_per_minute = limit}, 150, jobs, 100,
          [](int k) { return std::chrono::milliseconds(200 + k % 7 * 10); },
          [](int) { return 150; });
      // Until the first answer, the length of answers is not known.
      const auto first = std::min(static_cast<std::int64_t>(jobs), limit / 100);
      CHECK(run.most(60s, true) <= std::max(limit, first * 150));
      const std::int64_t in_minute = limit / 150;
      CHECK(run.duration() <= (150 / in_minute + 1) * 61s);
      CHECK(run.duration() >= (150 / (in_minute + 10) - 1) * 60s);
    }
  }
}

TEST_CASE("limits of a pace hold together, and a request above one goes alone") {
  PacedRun run;
  run.run(
      {.requests_per_second = 5, .requests_per_minute = 20, .tokens_per_minute = 1'000}, 60, 16, 30,
      [](int) { return 100ms; }, [](int) { return 40; });
  CHECK(run.most(1s, false) == 5);
  CHECK(run.most(60s, false) == 20);
  Pacer pacer({.tokens_per_minute = 100});
  CHECK(pacer.next(5'000, k_now) == k_now);
  pacer.queued(5'000);
  const auto number = pacer.sent(5'000, k_now);
  CHECK(pacer.next(1, k_now + 1s) == k_now + 61s);
  pacer.answered(number, 20, 10);  // it was less than estimated
  CHECK(pacer.next(1, k_now + 1s) == k_now + 1s);
  CHECK(pacer.next(95, k_now + 2s) == k_now + 61s);
  CHECK(pacer.next(95, k_now + 61s) == k_now + 61s);
  pacer.answered(number, 20, 10);  // after it was forgotten
}

TEST_CASE("at a pace, tokens of queued requests and of their usual answers count") {
  Pacer pacer({.tokens_per_minute = 105});
  pacer.queued(10);
  CHECK(pacer.next(95, k_now) == k_now);
  CHECK(pacer.next(96, k_now) == k_now + 10ms);
  const auto first = pacer.sent(10, k_now);
  CHECK(pacer.next(95, k_now) == k_now);
  CHECK(pacer.next(96, k_now) == k_now + 61s);
  pacer.answered(first, 10, 30);  // so an answer usually has 30
  CHECK(pacer.next(35, k_now) == k_now);
  CHECK(pacer.next(36, k_now) == k_now + 61s);
  pacer.queued(5);
  CHECK(pacer.next(0, k_now) == k_now);
  CHECK(pacer.next(1, k_now) == k_now + 61s);
  pacer.sent(5, k_now + 1s);
  CHECK(pacer.next(0, k_now + 1s) == k_now + 1s);
  CHECK(pacer.next(1, k_now + 1s) == k_now + 61s);
  CHECK(pacer.next(41, k_now + 1s) == k_now + 62s);
}

TEST_CASE("at a pace, an answer counts for its own request") {
  Pacer pacer({.tokens_per_minute = 100});
  pacer.queued(50);
  pacer.sent(50, k_now);
  pacer.queued(40);
  pacer.answered(pacer.sent(40, k_now), 0, 0);
  CHECK(pacer.next(50, k_now) == k_now);
  CHECK(pacer.next(51, k_now) == k_now + 61s);
}

TEST_CASE("counts of tokens that are impossible do not spoil a pace") {
  for (const std::int64_t input : {std::int64_t{-50}, INT64_MIN}) {
    Pacer pacer({.tokens_per_minute = 100});
    pacer.queued(20);
    pacer.answered(pacer.sent(20, k_now), input, -7);
    pacer.queued(20);
    pacer.sent(20, k_now);
    CHECK(pacer.next(80, k_now) == k_now);
    CHECK(pacer.next(81, k_now) == k_now + 61s);
  }
  Pacer pacer({.tokens_per_minute = 100});
  pacer.queued(20);
  pacer.answered(pacer.sent(20, k_now), INT64_MAX, INT64_MAX);
  CHECK(pacer.next(1, k_now) == k_now + 61s);
  CHECK(pacer.next(1, k_now + 61s) == k_now + 61s);
}
