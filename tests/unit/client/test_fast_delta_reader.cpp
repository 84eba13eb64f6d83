#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "client/answer.h"
#include "client/fast_delta.h"
#include "http/sse.h"

using namespace svc;

namespace {

std::string chunk_of(const std::string& content, const std::string& id = "a", int index = 0,
                     const std::string& tail = "}]}") {
  return R"({"id":")" + id + R"(","choices":[{"index":)" + std::to_string(index) +
         R"(,"delta":{"content":")" + content + "\"}" + tail;
}

std::string event_of(const std::string& content, const std::string& id = "a") {
  return "data: " + chunk_of(content, id) + "\n\n";
}

/// The result of a stream reader for bytes in two pieces; with `runs`, whole events may be taken
/// before they are parsed.
struct Read {
  std::string shown{};
  std::string document{};
  std::string error{};
  std::uint64_t events = 0;
  std::size_t in_runs = 0;
};

Read read_stream(const std::string& bytes, std::size_t cut, bool runs) {
  Read read;
  const auto stream = make_answer_stream(View::Chat, Retain::Document, {});
  const DeltaSink sink = [&](const Delta& delta) { read.shown += delta.text; };
  http::SseParser parser;
  const http::SseParser::OnEvent on_event = [&](const http::SseEvent& event) {
    return stream->feed(event.data, sink);
  };
  const http::SseParser::OnRun on_run = [&](std::string_view at) {
    const http::SseRun run = stream->feed_run(at, sink);
    read.in_runs += run.events;
    return run;
  };
  for (const std::string& piece : {bytes.substr(0, cut), bytes.substr(cut)}) {
    const auto fed = parser.feed(piece, on_event, runs ? on_run : http::SseParser::OnRun());
    if (!fed) {
      read.error = fed.error().message;
      break;
    }
  }
  read.events = parser.events();
  read.document = stream->document();
  return read;
}

}  // namespace

TEST_CASE("consecutive chunks are read like separate ones") {
  const std::vector<std::string> events = {
      chunk_of("one"),
      chunk_of("two"),
      chunk_of(""),
      chunk_of("with \\\"quotes\\\""),
      chunk_of("plain"),
      chunk_of("other choice", "a", 1),
      chunk_of("back"),
      chunk_of("other id", "b"),
      chunk_of("\xff broken"),
      chunk_of("control \x01"),
      chunk_of(R"(","delta":{"content":"twice)"),
      chunk_of(R"("},"finish_reason":"stop","x":{"y":")"),
      chunk_of("end", "a", 0, R"(,"finish_reason":"stop"}]})"),
      chunk_of("news", "a", 0, R"(}],"usage":{"total_tokens":1}})"),
      chunk_of("after"),
      "",
      "{}",
      chunk_of("last"),
  };
  FastDeltaReader reader;
  for (const std::string& event : events) {
    CAPTURE(event);
    FastDelta alone;
    FastDelta in_turn;
    const bool plain = read_fast_delta(event, alone);
    CHECK(reader.read(event, in_turn) == plain);
    if (plain) {
      CHECK(in_turn.content == alone.content);
      CHECK(in_turn.index == alone.index);
    }
  }
}

TEST_CASE("a chunk reports the position of its text") {
  FastDelta chunk;
  const std::string event = chunk_of("abc");
  REQUIRE(read_fast_delta(event, chunk));
  CHECK(event.substr(chunk.begin, chunk.end - chunk.begin) == "abc");
}

TEST_CASE("a run ends before the first event unlike the last chunk") {
  FastDeltaReader reader;
  FastDelta chunk;
  CHECK(reader.read_run(event_of("one"), chunk).events == 0);  // nothing to compare with
  REQUIRE(reader.read(chunk_of("zero"), chunk));
  const std::string alike = event_of("one ") + event_of("") + event_of(R"(\"two\" \u00e9)");
  for (const std::string& other :
       {event_of("three", "b"), event_of("\xff"), event_of("\x01"), event_of(R"(\x)"),
        "data: " + chunk_of("x") + "\r\n\r\n", "data:" + chunk_of("x") + "\n\n",
        "data: " + chunk_of("x") + "\ndata: \n\n", "event: a\n" + event_of("x"),
        event_of(R"(","delta":{"content":"twice)"), std::string(": ping\n\n"), std::string()}) {
    CAPTURE(other);
    const http::SseRun run = reader.read_run(alike + other + event_of("behind"), chunk);
    CHECK(run.events == (other.empty() ? 4 : 3));
    CHECK(run.bytes == alike.size() + (other.empty() ? event_of("behind").size() : 0));
    CHECK(chunk.content == (other.empty() ? "one \"two\" \u00e9behind" : "one \"two\" \u00e9"));
  }
  for (std::size_t cut = 0; cut < alike.size(); ++cut) {
    const http::SseRun run = reader.read_run(std::string(alike, 0, cut), chunk);
    CHECK(run.bytes <= cut);
    CHECK(run.events < 3);
  }
}

TEST_CASE("a stream read in runs gives the same as event by event, wherever it is split") {
  const std::string last =
      "data: " + chunk_of("", "a", 0, R"(,"finish_reason":"stop"}]})") + "\n\n";
  const std::string bytes = event_of("first ") + event_of("second ") + event_of("th\\nird ") +
                            ": ping\n\n" + event_of("four\u00e9 ") +
                            "data: " + chunk_of("other", "a", 1) + "\n\n" + event_of("five ") +
                            "event: message\nid: 7\n" + event_of("six ") + event_of("seven") +
                            last + "data: [DONE]\n\n" + event_of("too late");
  const Read plain = read_stream(bytes, 0, false);
  CHECK(plain.events == 11);
  CHECK(plain.error.empty());
  std::size_t most = 0;
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    CAPTURE(cut);
    const Read read = read_stream(bytes, cut, true);
    CHECK(read.shown == plain.shown);
    CHECK(read.document == plain.document);
    CHECK(read.events == plain.events);
    most = std::max(most, read.in_runs);
  }
  CHECK(most >= 4);
}

TEST_CASE("an invalid event after a run is reported by its number") {
  const std::string bytes = event_of("one ") + event_of("two ") + "data: {broken\n\n";
  const Read plain = read_stream(bytes, 0, false);
  const Read read = read_stream(bytes, 0, true);
  CHECK(read.in_runs == 1);
  CHECK(read.error == plain.error);
  CHECK(read.error.find("event 3") != std::string::npos);
}
