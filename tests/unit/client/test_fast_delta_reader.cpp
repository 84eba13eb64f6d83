#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "client/fast_delta.h"

using namespace svc;

namespace {

std::string chunk_of(const std::string& content, const std::string& id = "a", int index = 0,
                     const std::string& tail = "}]}") {
  return R"({"id":")" + id + R"(","choices":[{"index":)" + std::to_string(index) +
         R"(,"delta":{"content":")" + content + "\"}" + tail;
}

}  // namespace

TEST_CASE("one chunk after another reads as each by itself") {
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

TEST_CASE("a chunk says where its text stands") {
  FastDelta chunk;
  const std::string event = chunk_of("abc");
  REQUIRE(read_fast_delta(event, chunk));
  CHECK(event.substr(chunk.begin, chunk.end - chunk.begin) == "abc");
}
