// Streamed responses, and concurrent calls.
#include <utility>

#include <doctest/doctest.h>

#include "call_world.h"

using namespace svc;
using namespace svc::test;
TEST_CASE("events are passed on as they arrive") {
  World world({event_reply({"data: a\n\nda", "ta: b\n", "\n: ping\n\n", "data: c\n\ndata: half"})});
  const auto reply = world.stream();
  REQUIRE(reply);
  CHECK(world.heard == "a||b|c|");
  CHECK(reply->streamed);
  CHECK(reply->events == 3);
  CHECK(header(world.transport.requests.front(), "Accept") == "text/event-stream");
}

TEST_CASE("bytes of a stream may be taken before they are parsed") {
  World world({event_reply({"data: a\n\n", "data: b\n\ndata: c\n\n"})});
  std::string seen;
  const auto reply = world.client().stream(
      World::request(k_ask, true),
      [&](std::string_view data) {
        world.heard += data;
        return Result<void>();
      },
      {},
      [&](std::string_view bytes) {
        seen += std::to_string(bytes.size()) + ' ';
        const bool taken = bytes.starts_with("data: b");
        return http::SseRun{.bytes = taken ? 9U : 0U, .events = taken ? 1U : 0U};
      });
  REQUIRE(reply);
  CHECK(seen == "9 18 ");
  CHECK(world.heard == "ac");
  CHECK(reply->events == 3);
}

TEST_CASE("an interrupted stream is an error, and never restarted") {
  FakeReply cut = event_reply({"data: a\n\n"});
  cut.error = Error{Fault::Network, "reset"};
  for (const Operation* operation : {&k_read, &k_ask, &k_create}) {
    World world({cut});
    const auto reply = world.stream(*operation);
    REQUIRE_FALSE(reply);
    CHECK(reply.error().fault == Fault::Network);
    CHECK(world.heard == "a|");
    CHECK(world.sent() == 1);
  }
  // Before its first event it may be, if reading is harmless.
  FakeReply silent = event_reply({": ping\n\n"});
  silent.error = Error{Fault::Network, "reset"};
  World world({silent, event_reply({"data: b\n\n"})});
  CHECK(world.stream(k_read));
  CHECK(world.heard == "|b|");
}

TEST_CASE("a rejected stream is retried, without data from the rejection") {
  World world({refusal(503, "data: no\n\n"), event_reply({"data: a\n\n"})});
  CHECK(world.stream());
  CHECK(world.heard == "a|");
}

TEST_CASE("a whole document instead of a stream") {
  World world({json_reply(200, R"({"choices":[]})")});
  const auto reply = world.stream();
  REQUIRE(reply);
  CHECK_FALSE(reply->streamed);
  CHECK(reply->body == R"({"choices":[]})");
  CHECK(world.heard.empty());

  FakeReply page = json_reply(200, "<html>");
  page.headers = {{"Content-Type", "text/html"}};
  World other({page});
  const auto failed = other.stream();
  REQUIRE_FALSE(failed);
  CHECK(mentions(failed.error().message, "got text/html"));
  CHECK(failed.error().may_have_run);
}

TEST_CASE("the receiver of the events may end the stream") {
  World world({event_reply({"data: a\n\n", "data: b\n\n"})});
  int count = 0;
  const auto reply = world.client().stream(World::request(k_ask, true),
                                           [&](std::string_view) -> Result<void> {
                                             ++count;
                                             return Error{Fault::Service, "an error event"};
                                           },
                                           {});
  REQUIRE_FALSE(reply);
  CHECK(reply.error().fault == Fault::Service);
  CHECK(reply.error().message == "an error event");
  CHECK(count == 1);
  CHECK(world.sent() == 1);

  World gone({event_reply({"data: a\n\n"})});
  const auto closed = gone.client().stream(
      World::request(k_ask, true), [](std::string_view) { return Result<void>(); },
      [] {
        return Result<void>(Error{Fault::ReaderGone, "nobody reads"});
      });
  REQUIRE_FALSE(closed);
  CHECK(closed.error().fault == Fault::ReaderGone);
}

TEST_CASE("an endless event is not collected") {
  FakeReply huge = event_reply({});
  huge.pieces.assign(20, std::string(1 << 20, 'x'));
  World world({huge});
  const auto reply = world.stream(k_read);
  REQUIRE_FALSE(reply);
  CHECK(reply.error().fault == Fault::Network);
  CHECK(world.sent() == 1);
}

TEST_CASE("bytes are passed on unchanged, errors are not") {
  FakeReply reply;
  reply.pieces = {"ab", std::string("\0c", 2)};
  World world({refusal(503), reply});
  std::string bytes;
  const auto head =
      world.client().fetch(World::request(k_load), [&](std::string_view piece) -> Result<void> {
        bytes += piece;
        return {};
      });
  REQUIRE(head);
  CHECK(bytes == std::string("ab\0c", 4));
  CHECK(world.transport.requests.back().max_body_bytes == 0);
  FakeReply two;
  two.pieces = {"a", "b"};
  World batches({two});
  std::string pieces;
  REQUIRE(batches.client().fetch(
      World::request(k_load),
      [&](std::string_view piece) {
        pieces += piece;
        return Result<void>();
      },
      [&] {
        pieces += '|';
        return Result<void>();
      }));
  CHECK(pieces == "a|b|");

  FakeReply cut;
  cut.pieces = {"ab"};
  cut.error = Error{Fault::Network, "reset"};
  World broken({cut});
  const auto failed = broken.client().fetch(World::request(k_load),
                                            [](std::string_view) { return Result<void>(); });
  REQUIRE_FALSE(failed);
  CHECK(failed.error().fault == Fault::Network);
  CHECK(broken.sent() == 1);
}

namespace {

/// Runs one call of `operation` per response; returns the results in order of completion.
struct Several {
  World& world;
  std::size_t left;
  std::vector<std::string> ended{};

  Result<void> run(std::size_t at_once, const Operation& operation) {
    ApiClient client = world.client();
    return client.call_many(at_once, [&]() -> std::optional<CallJob> {
      if (left == 0) return std::nullopt;
      --left;
      return CallJob{.request = World::request(operation),
                     .done = [this](const Result<CallReply>& reply) {
                       ended.push_back(reply ? reply->body : reply.error().message);
                     }};
    });
  }
};

}  // namespace

TEST_CASE("concurrent calls, each with its own result and its own retries") {
  World world({json_reply(200, "1"), refusal(503), json_reply(200, "3"), json_reply(200, "4"),
               json_reply(404, R"({"error":"none"})"), json_reply(200, "2")});
  Several several{world, 5};
  REQUIRE(several.run(3, k_read));
  CHECK(world.sent() == 6);
  REQUIRE(several.ended.size() == 5);
  CHECK(several.ended[0] == "1");
  CHECK(several.ended[1] == "3");
  CHECK(mentions(several.ended[3], "none"));
  CHECK(several.ended[4] == "2");
  CHECK(world.told.size() == 1);
}

TEST_CASE("more calls are started when others finish, by another caller if requested") {
  World world({json_reply(200, R"({"id":"f"})"), json_reply(200, "{}")});
  ApiClient first = world.client();
  ApiClient second{world.transport, world.quota, world.cancel,
                   [&] {
                     CallPolicy policy = world.policy;
                     policy.key = "svc-another-key-0000";
                     return policy;
                   }(),
                   [](const std::string&) {}};
  std::optional<CallJob> due = CallJob{.request = World::request(k_create), .done = {}};
  bool added = false;
  due->done = [&](const Result<CallReply>& reply) {
    REQUIRE(reply);
    CHECK(reply->body == R"({"id":"f"})");
    due = CallJob{.request = World::request(k_ask),
                  .by = &second,
                  .done = [&](const Result<CallReply>& last) { added = last.has_value(); }};
  };
  REQUIRE(first.call_many(4, [&] { return std::exchange(due, std::nullopt); }));
  CHECK(added);
  REQUIRE(world.sent() == 2);
  CHECK(world.transport.requests[0].bearer == k_key);
  CHECK(world.transport.requests[1].bearer == "svc-another-key-0000");
}

TEST_CASE("canceling ends concurrent calls, and no more are sent") {
  World world({json_reply(200, "1"), refusal(503), json_reply(200, "3")});
  Several several{world, 9};
  world.policy.retries = 5;
  world.transport.add([&] {
    FakeReply reply = json_reply(200, "4");
    reply.before = [&] { world.cancel.cancel(); };
    return reply;
  }());
  const auto ended = several.run(1, k_read);
  REQUIRE_FALSE(ended);
  CHECK(ended.error().fault == Fault::Interrupted);
  CHECK(several.left > 0);
}
