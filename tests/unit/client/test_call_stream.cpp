// Answers that are handed on as they arrive.
#include <doctest/doctest.h>

#include "call_world.h"

using namespace svc;
using namespace svc::test;
TEST_CASE("events are handed on as they arrive") {
  World world({event_reply({"data: a\n\nda", "ta: b\n", "\n: ping\n\n", "data: c\n\ndata: half"})});
  const auto reply = world.stream();
  REQUIRE(reply);
  CHECK(world.heard == "a||b|c|");
  CHECK(reply->streamed);
  CHECK(reply->events == 3);
  CHECK(header(world.transport.requests.front(), "Accept") == "text/event-stream");
}

TEST_CASE("a stream that is cut is broken, and never begun again") {
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
  // Before its first event, where reading is harmless, it may be.
  FakeReply silent = event_reply({": ping\n\n"});
  silent.error = Error{Fault::Network, "reset"};
  World world({silent, event_reply({"data: b\n\n"})});
  CHECK(world.stream(k_read));
  CHECK(world.heard == "|b|");
}

TEST_CASE("a refused stream is repeated, with nothing of the refusal in it") {
  World world({refusal(503, "data: no\n\n"), event_reply({"data: a\n\n"})});
  CHECK(world.stream());
  CHECK(world.heard == "a|");
}

TEST_CASE("a whole document in a stream's place") {
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
}

TEST_CASE("what takes the events may end the stream") {
  World world({event_reply({"data: a\n\n", "data: b\n\n"})});
  int count = 0;
  const auto reply = world.caller().stream(World::request(k_ask, true),
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
  const auto closed = gone.caller().stream(
      World::request(k_ask, true), [](std::string_view) { return Result<void>(); },
      [] {
        return Result<void>(Error{Fault::ReaderGone, "nobody reads"});
      });
  REQUIRE_FALSE(closed);
  CHECK(closed.error().fault == Fault::ReaderGone);
}

TEST_CASE("an event without end is not collected") {
  FakeReply huge = event_reply({});
  huge.pieces.assign(20, std::string(1 << 20, 'x'));
  World world({huge});
  const auto reply = world.stream(k_read);
  REQUIRE_FALSE(reply);
  CHECK(reply.error().fault == Fault::Network);
  CHECK(world.sent() == 1);
}

TEST_CASE("bytes are handed on as they are, errors are not") {
  FakeReply reply;
  reply.pieces = {"ab", std::string("\0c", 2)};
  World world({refusal(503), reply});
  std::string bytes;
  const auto head =
      world.caller().fetch(World::request(k_load), [&](std::string_view piece) -> Result<void> {
        bytes += piece;
        return {};
      });
  REQUIRE(head);
  CHECK(bytes == std::string("ab\0c", 4));

  FakeReply cut;
  cut.pieces = {"ab"};
  cut.error = Error{Fault::Network, "reset"};
  World broken({cut});
  const auto failed = broken.caller().fetch(World::request(k_load),
                                            [](std::string_view) { return Result<void>(); });
  REQUIRE_FALSE(failed);
  CHECK(failed.error().fault == Fault::Network);
  CHECK(broken.sent() == 1);
}
