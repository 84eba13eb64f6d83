// Concurrent calls, each with the retries of a single one.
#include <algorithm>
#include <chrono>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "call_world.h"
#include "client/concurrent_calls.h"

using namespace svc;
using namespace svc::test;
using namespace std::chrono_literals;

namespace {

std::chrono::steady_clock::time_point soon() {
  return std::chrono::steady_clock::now() + 20ms;
}

void run_all(ConcurrentCalls& calls, const CancelToken& cancel) {
  for (int i = 0; i < 500 && calls.in_flight() > 0; ++i) calls.run(cancel, soon());
  CHECK(calls.in_flight() == 0);
}

/// Starts a call and, after it was answered, another one; `fine` counts those that succeed.
void start_two(ConcurrentCalls& calls, World& world, int& fine) {
  for (int i = 0; i < 2; ++i) {
    calls.start({.request = World::request(k_ask),
                 .done = [&fine](const Result<CallReply>& reply) { fine += reply ? 1 : 0; }});
    calls.run(world.cancel, soon());
  }
}

}  // namespace

TEST_CASE("every call of a set runs once and gets its own response") {
  World world({json_reply(200, R"({"n":1})"), json_reply(200, R"({"n":2})"), refusal(400)});
  ApiClient client = world.client();
  ConcurrentCalls calls(client);
  std::vector<std::string> got;
  for (int i = 0; i < 3; ++i) {
    calls.start({.request = World::request(k_ask), .done = [&](Result<CallReply> reply) {
                   got.push_back(reply ? reply->body : reply.error().message);
                 }});
  }
  CHECK(calls.in_flight() == 3);
  run_all(calls, world.cancel);
  REQUIRE(got.size() == 3);
  CHECK(got[0] == R"({"n":1})");
  CHECK(got[1] == R"({"n":2})");
  CHECK(mentions(got[2], "no"));
}

TEST_CASE("a call of a set is retried like a single one") {
  World world({refusal(503), failure(Fault::Network, false), json_reply(200, "{}"), refusal(503),
               refusal(503), refusal(503)});
  ApiClient client = world.client();
  ConcurrentCalls calls(client);
  int fine = 0;
  calls.start({.request = World::request(k_ask),
               .done = [&](const Result<CallReply>& reply) { fine += reply ? 1 : 0; }});
  run_all(calls, world.cancel);
  CHECK(fine == 1);
  CHECK(world.sent() == 3);
  std::optional<Error> error;
  calls.start({.request = World::request(k_ask), .done = [&](const Result<CallReply>& reply) {
                 if (!reply) error = reply.error();
               }});
  run_all(calls, world.cancel);
  REQUIRE(error);
  CHECK(error->http_status == 503);
  CHECK(world.sent() == 6);
}

TEST_CASE("a rate limit error delays the other calls too") {
  FakeReply full = json_reply(429, R"({"error":"too many"})");
  full.headers.push_back({"retry-after-ms", "300"});
  World world({full, json_reply(200, "{}"), json_reply(200, "{}")});
  ApiClient client = world.client();
  ConcurrentCalls calls(client);
  int fine = 0;
  start_two(calls, world, fine);
  CHECK(world.sent() == 1);
  run_all(calls, world.cancel);
  CHECK(world.sent() == 3);
  CHECK(fine == 2);
}

TEST_CASE("an error of one call does not delay the others") {
  FakeReply busy = json_reply(503, R"({"error":"busy"})");
  busy.headers.push_back({"retry-after-ms", "60000"});
  World world({busy, json_reply(200, "{}")});
  ApiClient client = world.client();
  ConcurrentCalls calls(client);
  int fine = 0;
  start_two(calls, world, fine);
  CHECK(world.sent() == 2);
  CHECK(fine == 1);
  CHECK(calls.in_flight() == 1);
}

TEST_CASE("bytes are passed on as they arrive, and not requested again after that") {
  FakeReply cut = json_reply(200, "abc");
  cut.headers = {{"Content-Type", "audio/pcm"}};
  cut.error = Error{Fault::Network, "the line went dead"};
  World world({cut});
  ApiClient client = world.client();
  ConcurrentCalls calls(client);
  std::string bytes;
  std::string type;
  std::optional<Error> error;
  calls.start({.request = World::request(k_load),
               .on_head = [&](const http::HttpHead& head) -> Result<void> {
                 type = head.header("content-type").value_or("");
                 return {};
               },
               .on_bytes = [&](std::string_view piece) -> Result<void> {
                 bytes += piece;
                 return {};
               },
               .done =
                   [&](const Result<CallReply>& reply) {
                     if (!reply) error = reply.error();
                   }});
  run_all(calls, world.cancel);
  CHECK(bytes == "abc");
  CHECK(type == "audio/pcm");
  REQUIRE(error);
  CHECK(error->fault == Fault::Network);
  CHECK(world.sent() == 1);
}

TEST_CASE("canceling ends calls in flight, and calls that wait for a retry") {
  World world({json_reply(503, "{}")});
  ApiClient client = world.client();
  ConcurrentCalls calls(client);
  std::vector<Fault> faults;
  calls.start({.request = World::request(k_ask), .done = [&](const Result<CallReply>& reply) {
                 if (!reply) faults.push_back(reply.error().fault);
               }});
  calls.run(world.cancel, soon());  // rejected, and waiting
  CHECK(calls.in_flight() == 1);
  world.cancel.cancel();
  calls.start({.request = World::request(k_ask), .done = [&](const Result<CallReply>& reply) {
                 if (!reply) faults.push_back(reply.error().fault);
               }});
  const auto begin = std::chrono::steady_clock::now();
  run_all(calls, world.cancel);
  CHECK(std::chrono::steady_clock::now() - begin < 200ms);
  CHECK(faults == std::vector<Fault>{Fault::Interrupted, Fault::Interrupted});
}

TEST_CASE("once drained, nothing more is sent, neither for the first time nor again") {
  World world({json_reply(503, "{}")});
  ApiClient client = world.client();
  Switch drain;
  ConcurrentCalls calls(client, {}, &drain);
  std::vector<Fault> faults;
  const auto add = [&] {
    calls.start({.request = World::request(k_ask), .done = [&](const Result<CallReply>& reply) {
                   if (!reply) faults.push_back(reply.error().fault);
                 }});
  };
  add();
  calls.run(world.cancel, soon());  // rejected, and waiting
  CHECK(faults.empty());
  drain.cancel();
  add();
  run_all(calls, world.cancel);
  CHECK(faults == std::vector<Fault>{Fault::Interrupted, Fault::Interrupted});
  CHECK(world.sent() == 1);
}

TEST_CASE("a call that may not be sent is done with the reason, and the others are sent") {
  World world({json_reply(200, "{}")});
  world.policy.timeouts.total = 7s;
  ApiClient client = world.client();
  ConcurrentCalls calls(client);
  std::vector<std::string> ends;
  for (const bool may : {false, true}) {
    CallJob job{.request = World::request(k_ask)};
    job.on_send = [may](const Reserved&) {
      return may ? Result<void>() : Result<void>(Error{Fault::Local, "not now"});
    };
    job.done = [&](const Result<CallReply>& reply) {
      ends.push_back(reply ? "fine" : reply.error().message);
    };
    calls.start(std::move(job));
  }
  run_all(calls, world.cancel);
  std::ranges::sort(ends);
  CHECK(ends == std::vector<std::string>{"fine", "not now"});
  REQUIRE(world.sent() == 1);
  CHECK(world.transport.requests[0].timeouts.total == 7s);
}

TEST_CASE("a window that is used up is told, and waited for") {
  FakeReply last = json_reply(200, "{}");
  last.headers.push_back({"x-ratelimit-remaining-requests", "0"});
  last.headers.push_back({"x-ratelimit-reset-requests", "60s"});
  World world({last, json_reply(200, "{}")});
  ApiClient client = world.client();
  ConcurrentCalls calls(client);
  calls.start({.request = World::request(k_ask)});
  run_all(calls, world.cancel);
  REQUIRE(world.told.size() == 1);
  CHECK(world.told[0].starts_with("the rate limit is used up; the next request waits "));
  calls.start({.request = World::request(k_ask)});
  calls.run(world.cancel, soon());
  CHECK(calls.in_flight() == 1);
  CHECK(world.sent() == 1);
}

TEST_CASE("at a pace, calls wait for the tokens of others, which their answers tell") {
  const FakeReply short_answer =
      json_reply(200, R"({"usage":{"prompt_tokens":20,"completion_tokens":10}})");
  const auto run = [](const FakeReply& first, const Pace& pace) {
    World world({first, json_reply(200, "{}"), json_reply(200, "{}")});
    ApiClient client = world.client();
    ConcurrentCalls calls(client, {}, nullptr, pace);
    std::string ends;
    for (int i = 0; i < 3; ++i) {
      calls.start({.request = World::request(k_ask),
                   .input_tokens = 60,
                   .done = [&](const Result<CallReply>& reply) { ends += reply ? '+' : '-'; }});
    }
    for (int i = 0; i < 10 && calls.in_flight() > 0; ++i) calls.run(world.cancel, soon());
    CHECK(world.sent() == ends.size());
    CHECK(calls.in_flight() == 3 - ends.size());
    return ends;
  };
  const Pace tokens{.tokens_per_minute = 100};
  CHECK(run(short_answer, {}) == "+++");
  CHECK(run(short_answer, tokens) == "++");
  CHECK(run(json_reply(200, "{}"), tokens) == "+");
  CHECK(run(json_reply(200, "no JSON"), tokens) == "-");
  CHECK(run(short_answer, {.requests_per_minute = 2}) == "++");
  CHECK(run(failure(Fault::Local), {.requests_per_minute = 2}) == "-+");
}

TEST_CASE("a destroyed set calls no callbacks") {
  World world({json_reply(200, "{}")});
  ApiClient client = world.client();
  int called = 0;
  {
    ConcurrentCalls calls(client);
    calls.start(
        {.request = World::request(k_ask), .done = [&](const Result<CallReply>&) { ++called; }});
  }
  CHECK(called == 0);
}

TEST_CASE("a destroyed set cancels what is in flight") {
  struct Hanging final : http::Transport {
    std::vector<Done> in_flight{};
    std::optional<Fault> reason{};
    int wake_fd = 0;
    http::Outcome perform(const http::HttpRequest& /*request*/, http::Receiver& /*receiver*/,
                          const CancelToken& /*cancel*/) override {
      return {};
    }
    void start(http::HttpRequest /*request*/, http::Receiver& /*receiver*/, Done done) override {
      in_flight.push_back(std::move(done));
    }
    void run(const CancelToken& cancel,
             std::optional<std::chrono::steady_clock::time_point> /*until*/) override {
      reason = cancel.requested();
      wake_fd = cancel.wake_fd();
      if (!reason) return;
      http::Outcome outcome;
      outcome.error = Error{*reason, "stopped"};
      for (const Done& done : std::exchange(in_flight, {})) done(outcome);
    }
  };
  const World world({});
  Hanging transport;
  http::RetryQuota quota;
  const Switch cancel;
  ApiClient client(transport, quota, cancel, world.policy, [](const std::string&) {});
  int called = 0;
  {
    ConcurrentCalls calls(client);
    calls.start(
        {.request = World::request(k_ask), .done = [&](const Result<CallReply>&) { ++called; }});
    calls.run(cancel, std::chrono::steady_clock::now());
    CHECK(transport.in_flight.size() == 1);
    CHECK_FALSE(transport.reason);
  }
  CHECK(transport.in_flight.empty());
  CHECK(transport.reason == Fault::Interrupted);
  CHECK(transport.wake_fd == -1);
  CHECK(called == 0);
}

TEST_CASE("before the first response only a few calls are sent, then all that are allowed") {
  std::deque<FakeReply> replies(9, json_reply(200, "{}"));
  std::size_t first = 0;
  World world({});
  replies.front().before = [&] { first = world.transport.waiting() + 1; };
  for (FakeReply& reply : replies) world.transport.add(reply);
  ApiClient client = world.client();
  ConcurrentCalls calls(client);
  for (int i = 0; i < 9; ++i) calls.start({.request = World::request(k_ask)});
  run_all(calls, world.cancel);
  CHECK(first == 4);
  CHECK(world.sent() == 9);
}

TEST_CASE("requests about to be sent are prepared together; if that fails they are not sent") {
  World world({json_reply(200, "{}"), json_reply(200, "{}")});
  ApiClient client = world.client();
  int asked = 0;
  std::vector<int> settled;
  bool fails = false;
  ConcurrentCalls calls(client, [&]() -> Result<void> {
    CHECK(world.sent() <= 2);
    settled.push_back(asked);
    return fails ? Error{Fault::Local, "the disk is full"} : Result<void>();
  });
  std::vector<std::string> ends;
  const auto add = [&] {
    calls.start({.request = World::request(k_ask),
                 .on_send = [&](const Reserved&) -> Result<void> {
                   ++asked;
                   return {};
                 },
                 .done =
                     [&](const Result<CallReply>& reply) {
                       ends.push_back(reply ? "fine" : reply.error().message);
                     }});
  };
  add();
  add();
  run_all(calls, world.cancel);
  CHECK(settled.front() == 2);
  CHECK(ends == std::vector<std::string>{"fine", "fine"});
  fails = true;
  add();
  run_all(calls, world.cancel);
  CHECK(ends.back() == "the disk is full");
  CHECK(world.sent() == 2);
}
