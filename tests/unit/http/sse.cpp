#include "http/sse.h"

#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace svc::http {
namespace {

struct Seen {
  std::string event;
  std::string data;
  std::string id;
  bool operator==(const Seen&) const = default;
};

std::ostream& operator<<(std::ostream& out, const std::vector<Seen>& all) {
  for (const Seen& each : all)
    out << "[" << each.event << "|" << each.data << "|" << each.id << "]";
  return out;
}

struct Fed {
  std::vector<Seen> events;
  bool inside = false;
};

SseParser::OnEvent collect_into(std::vector<Seen>& events) {
  return [&events](const SseEvent& event) -> Result<void> {
    events.push_back({std::string(event.event), std::string(event.data), std::string(event.id)});
    return {};
  };
}

/// Feeds `pieces`, each from its own memory, so that ASan detects a view kept too long.
Fed feed(const std::vector<std::string>& pieces) {
  Fed fed;
  SseParser parser;
  const auto on_event = collect_into(fed.events);
  for (const std::string& piece : pieces) {
    const std::vector<char> own(piece.begin(), piece.end());
    REQUIRE(parser.feed({own.data(), own.size()}, on_event));
  }
  fed.inside = parser.inside_event();
  return fed;
}

std::vector<Seen> events_of(const std::string& stream) {
  return feed({stream}).events;
}

/// The rules of the standard, implemented in the most obvious way: the whole stream, split into
/// lines.
std::vector<Seen> reference(std::string stream) {
  if (stream.starts_with("\xef\xbb\xbf")) stream.erase(0, 3);
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    if (stream[i] == '\r' || stream[i] == '\n') {
      if (stream[i] == '\r' && i + 1 < stream.size() && stream[i + 1] == '\n') ++i;
      lines.push_back(line);
      line.clear();
    } else {
      line += stream[i];
    }
  }
  std::vector<Seen> events;
  std::string data;
  std::string event;
  std::string id;
  for (const std::string& each : lines) {
    if (each.empty()) {
      if (!data.empty()) {
        data.pop_back();
        events.push_back({event.empty() ? "message" : event, data, id});
      }
      data.clear();
      event.clear();
      continue;
    }
    const std::size_t colon = each.find(':');
    if (colon == 0) continue;
    const std::string name = each.substr(0, colon);
    std::string value = colon == std::string::npos ? "" : each.substr(colon + 1);
    if (value.starts_with(' ')) value.erase(0, 1);
    if (name == "data") data += value + "\n";
    if (name == "event") event = value;
    if (name == "id" && value.find('\0') == std::string::npos) id = value;
  }
  return events;
}

}  // namespace

TEST_CASE("keep-alive data is distinguished from events") {
  CHECK(is_keep_alive({"message", "", ""}));
  CHECK(is_keep_alive({"message", " \n", ""}));
  CHECK(is_keep_alive({"ping", "", ""}));
  CHECK(is_keep_alive({"ping", "alive", ""}));
  CHECK_FALSE(is_keep_alive({"ping", R"({"type":"ping"})", ""}));
  CHECK_FALSE(is_keep_alive({"message", "[DONE]", ""}));
  CHECK_FALSE(is_keep_alive({"message", "alive", ""}));
}

TEST_CASE("row 47: events by the rules of the standard") {
  CHECK(events_of("data: a\n\n") == std::vector<Seen>{{"message", "a", ""}});
  CHECK(events_of("data:a\n\n") == std::vector<Seen>{{"message", "a", ""}});
  CHECK(events_of("data:  a \n\n") == std::vector<Seen>{{"message", " a ", ""}});
  CHECK(events_of("data: a\ndata: b\n\n") == std::vector<Seen>{{"message", "a\nb", ""}});
  CHECK(events_of("data\n\n") == std::vector<Seen>{{"message", "", ""}});
  CHECK(events_of("data\ndata\n\n") == std::vector<Seen>{{"message", "\n", ""}});
  CHECK(events_of("data:\n\n") == std::vector<Seen>{{"message", "", ""}});
  CHECK(events_of("event: x\n\n").empty());
  CHECK(events_of("event: x\n\ndata: a\n\n") == std::vector<Seen>{{"message", "a", ""}});
  CHECK(events_of("event: x\nid: 7\ndata: a\n\ndata: b\n\n") ==
        std::vector<Seen>{{"x", "a", "7"}, {"message", "b", "7"}});
  CHECK(events_of("id: 7\n\ndata: b\n\n") == std::vector<Seen>{{"message", "b", "7"}});
  CHECK(events_of("id: 7\ndata: a\n\nid\ndata: b\n\n") ==
        std::vector<Seen>{{"message", "a", "7"}, {"message", "b", ""}});
  CHECK(events_of(": note\ndata: a\n:\n\n") == std::vector<Seen>{{"message", "a", ""}});
  CHECK(events_of("Data: a\n data: b\ndatax: c\n\n").empty());
  CHECK(events_of("\n\n\ndata: a\n\n") == std::vector<Seen>{{"message", "a", ""}});
  CHECK(events_of("data: a:b: c\n\n") == std::vector<Seen>{{"message", "a:b: c", ""}});
}

TEST_CASE("row 47: every kind of line end, mixed, and the byte order mark") {
  const std::vector<Seen> two{{"message", "a\nb", ""}, {"message", "c", ""}};
  CHECK(events_of("data: a\ndata: b\n\ndata: c\n\n") == two);
  CHECK(events_of("data: a\rdata: b\r\rdata: c\r\r") == two);
  CHECK(events_of("data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n") == two);
  CHECK(events_of("data: a\r\ndata: b\n\rdata: c\r\r\n") == two);
  CHECK(events_of("\xef\xbb\xbf"
                  "data: a\n\n") == std::vector<Seen>{{"message", "a", ""}});
  CHECK(events_of("\xef\xbb\xbf\xef\xbb\xbf"
                  "data: a\n\n")
            .empty());
  CHECK(events_of("\xef\xbb"
                  "data: a\n\n")
            .empty());
  CHECK(events_of("data: a\n\n\xef\xbb\xbf"
                  "data: b\n\n") == std::vector<Seen>{{"message", "a", ""}});
}

TEST_CASE("row 43: an incomplete event is not passed on") {
  for (const char* stream : {"data: a", "data: a\n", "data: a\r", "data: a\r\n",
                             "event: x\ndata: a\n", "data: a\n:comment\n"}) {
    const Fed fed = feed({stream});
    CHECK(fed.events.empty());
    CHECK(fed.inside);
  }
  CHECK_FALSE(feed({"data: a\n\n"}).inside);
  CHECK_FALSE(feed({"data: a\r\r"}).inside);
  CHECK_FALSE(feed({": ping\n\n"}).inside);
  CHECK_FALSE(feed({""}).inside);
}

TEST_CASE("an event is passed on with its last byte, not one later") {
  std::vector<Seen> events;
  SseParser parser;
  const auto on_event = collect_into(events);
  REQUIRE(parser.feed("data: a\r\n\r", on_event));
  CHECK(events.size() == 1);
  REQUIRE(parser.feed("\ndata: b\r\n", on_event));
  REQUIRE(parser.feed("\r", on_event));
  CHECK(events.size() == 2);
  CHECK(parser.events() == 2);
}

TEST_CASE("row 52: IDs with NUL and invalid retry values are ignored") {
  std::vector<Seen> events;
  SseParser parser;
  const auto on_event = collect_into(events);
  const std::string nul("id: 1\nid: 2\0\ndata: a\n\n", 22);
  REQUIRE(parser.feed(nul, on_event));
  CHECK(events == std::vector<Seen>{{"message", "a", "1"}});
  CHECK(parser.last_event_id() == "1");
  CHECK_FALSE(parser.retry());
  for (const char* junk : {"retry: -1\n", "retry: 1.5\n", "retry: 1e3\n", "retry:\n", "retry: x\n",
                           "retry: 99999999999999999999999\n"})
    REQUIRE(parser.feed(junk, on_event));
  CHECK_FALSE(parser.retry());
  REQUIRE(parser.feed("retry: 1500\n", on_event));
  CHECK(parser.retry() == std::chrono::milliseconds(1500));
}

TEST_CASE("comments are not events") {
  const Fed fed = feed({": ping\n\n:\r: pi", "ng\r\n"});
  CHECK(fed.events.empty());
  CHECK_FALSE(fed.inside);
}

TEST_CASE("row 46: the same events at every split point and byte by byte") {
  const std::string stream =
      "\xef\xbb\xbf: hi\r\nevent: \xc3\xa4\xf0\x9f\x98\x80\r\nid: 1\r\ndata: first \xe2\x82\xac\r\n"
      "data: second\r\n\r\ndata: lf\n\ndata: cr\r\rid\ndata\n\n:end\r\n\r\ndata: half";
  const std::vector<Seen> whole = events_of(stream);
  REQUIRE(whole.size() == 4);
  CHECK(whole == reference(stream));
  for (std::size_t first = 0; first <= stream.size(); ++first) {
    for (std::size_t second = first; second <= stream.size(); ++second) {
      const Fed fed = feed(
          {stream.substr(0, first), stream.substr(first, second - first), stream.substr(second)});
      if (fed.events != whole) {
        CAPTURE(first);
        CAPTURE(second);
        CHECK(fed.events == whole);
      }
    }
  }
  std::vector<std::string> bytes;
  for (const char byte : stream) bytes.emplace_back(1, byte);
  CHECK(feed(bytes).events == whole);
}

TEST_CASE("random streams in random pieces agree with the obvious implementation") {
  std::mt19937 random(20240607);
  const std::vector<std::string> pool{"data",
                                      "data: ",
                                      "data:",
                                      "event: x",
                                      "id: 1",
                                      "id",
                                      ":",
                                      "retry: 5",
                                      "\n",
                                      "\r",
                                      "\r\n",
                                      "\n\n",
                                      "a",
                                      " ",
                                      "\xef\xbb\xbf",
                                      std::string(1, '\0'),
                                      "\xc3\xa4",
                                      "foo: bar"};
  const auto pick = [&](std::size_t size) {
    return std::uniform_int_distribution<std::size_t>(0, size - 1)(random);
  };
  for (int round = 0; round < 3000; ++round) {
    std::string stream;
    for (std::size_t i = pick(40) + 1; i > 0; --i) stream += pool[pick(pool.size())];
    std::vector<std::string> pieces;
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t size = pick(9) + 1;
      pieces.push_back(stream.substr(at, size));
      at += size;
    }
    const auto expected = reference(stream);
    const auto seen = feed(pieces).events;
    CAPTURE(stream);
    REQUIRE(seen == expected);
  }
}

TEST_CASE("a run is offered only where an event may start") {
  std::string offered;
  std::vector<Seen> events;
  SseParser parser;
  const SseParser::OnRun take_x = [&](std::string_view bytes) -> SseRun {
    offered += std::string(bytes.substr(0, 7)) + "|";
    if (!bytes.starts_with("data: x\n\n")) return {};
    return {.bytes = 9, .events = 1};
  };
  for (const char* piece :
       {"data: x\n\ndata: y\n\nevent: e\ndata: x\n\n", "data: x", "\n\ndata: x\n\n"}) {
    REQUIRE(parser.feed(piece, collect_into(events), take_x));
  }
  CHECK(offered == "data: x|event: |data: x|data: x|");
  CHECK(events == std::vector<Seen>{{"message", "y", ""}, {"e", "x", ""}, {"message", "x", ""}});
  CHECK(parser.events() == 5);
}

TEST_CASE("row 51: lines and events have a size limit") {
  std::vector<Seen> events;
  const auto on_event = collect_into(events);
  SUBCASE("one line in pieces") {
    SseParser parser(1000);
    REQUIRE(parser.feed("data: small\n\n", on_event));
    const std::string piece(300, 'x');
    REQUIRE(parser.feed("data: " + piece, on_event));
    REQUIRE(parser.feed(piece, on_event));
    REQUIRE(parser.feed(piece, on_event));
    const auto result = parser.feed(piece, on_event);
    REQUIRE_FALSE(result);
    CHECK(result.error().fault == Fault::Network);
    CHECK(result.error().message == "event 2 in the stream is larger than 1 kB");
    CHECK_FALSE(parser.feed("\n\n", on_event));
    CHECK(events.size() == 1);
  }
  SUBCASE("one line at once") {
    SseParser parser(1000);
    CHECK_FALSE(parser.feed("data: " + std::string(2000, 'x') + "\n\n", on_event));
  }
  SUBCASE("many lines of one event") {
    SseParser parser(1000);
    Result<void> result;
    for (int i = 0; i < 20 && result; ++i)
      result = parser.feed("data: " + std::string(90, 'x') + "\n", on_event);
    CHECK_FALSE(result);
  }
  SUBCASE("as much as is allowed, in one line and in two") {
    SseParser parser(1000);
    REQUIRE(parser.feed("data: " + std::string(994, 'x') + "\n\n", on_event));
    REQUIRE(parser.feed("data: " + std::string(500, 'x'), on_event));
    REQUIRE(parser.feed(std::string(494, 'x'), on_event));
    REQUIRE(parser.feed("\n\n", on_event));
    REQUIRE(parser.feed("data: " + std::string(500, 'x') + "\n", on_event));
    REQUIRE(parser.feed("data: " + std::string(499, 'x') + "\n\n", on_event));
    REQUIRE(events.size() == 3);
    CHECK(events[2].data.size() == 1000);
    REQUIRE(parser.feed("data: " + std::string(500, 'x') + "\n", on_event));
    const auto joined = parser.feed("data: " + std::string(500, 'x') + "\n", on_event);
    REQUIRE_FALSE(joined);
    CHECK(joined.error().message == "event 4 in the stream is larger than 1 kB");
    const auto broken = parser.feed("\n", on_event);
    REQUIRE_FALSE(broken);
    CHECK(broken.error().message == "the event stream is broken");
    SseParser other(1000);
    CHECK_FALSE(other.feed("data: " + std::string(995, 'x') + "\n\n", on_event));
  }
  SUBCASE("many small events are allowed") {
    SseParser parser(1000);
    for (int i = 0; i < 1000; ++i) REQUIRE(parser.feed("data: abc\n\n", on_event));
    CHECK(events.size() == 1000);
  }
}

TEST_CASE("the receiver's error ends parsing") {
  SseParser parser;
  int seen = 0;
  const auto on_event = [&](const SseEvent&) -> Result<void> {
    ++seen;
    return Error{Fault::ReaderGone, "gone"};
  };
  const auto result = parser.feed("data: a\n\ndata: b\n\n", on_event);
  REQUIRE_FALSE(result);
  CHECK(result.error().fault == Fault::ReaderGone);
  CHECK(seen == 1);
  CHECK_FALSE(parser.feed("data: c\n\n", on_event));
  CHECK(seen == 1);
}

TEST_CASE("a stream of bare CR costs no more than its length") {
  // Searching for the next LF from each line would make this quadratic: minutes instead of an
  // instant.
  const std::string stream(8U << 20U, '\r');
  CHECK(events_of(stream + "data: a\r\r").size() == 1);
}

}  // namespace svc::http
