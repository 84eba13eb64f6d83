// The browsers' test streams, rewritten from the text of the WHATWG HTML standard §9.2.5 and
// §9.2.6: streams as data, with the expected events, last ID and retry time, however the bytes are
// split.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "http/sse.h"

namespace svc::http {
namespace {

struct Message {
  std::string type;
  std::string data;
  std::string id{};
  bool operator==(const Message&) const = default;
};

struct Vector {
  const char* name;
  std::string stream;
  std::vector<Message> messages;
  std::string last_id{};
  std::optional<int> retry{};
};

/// Including the NUL bytes in a literal.
template <std::size_t Size>
std::string bytes(const char (&literal)[Size]) {
  return std::string(literal, Size - 1);
}

std::vector<Vector> vectors() {
  return {
      {"a byte order mark",
       bytes("\xef\xbb\xbf"
             "data:1\n\n\xef\xbb\xbf"
             "data:2\n\ndata:3\n\n"),
       {{"message", "1"}, {"message", "3"}}},
      {"two byte order marks",
       bytes("\xef\xbb\xbf\xef\xbb\xbf"
             "data:1\n\ndata:2\n\ndata:3\n\n"),
       {{"message", "2"}, {"message", "3"}}},
      {"half a byte order mark",
       bytes("\xef\xbb"
             "data:1\n\ndata:2\n\n"),
       {{"message", "2"}}},
      {"comments among data",
       bytes("data:1\n:\0\n:\r\ndata:2\n:"
             "0123456789"
             "\rdata:3\n:data:fail\n\n"),
       {{"message", "1\n2\n3"}}},
      {"an end without a blank line",
       bytes("retry:1000\ndata:test1\n\nid:test\ndata:test2"),
       {{"message", "test1"}},
       "test",
       1000},
      {"an end after one line end", bytes("data:1\n\ndata:2\n"), {{"message", "1"}}},
      {"data without a colon",
       bytes("data:\n\ndata\ndata\n\ndata:test\n\n"),
       {{"message", ""}, {"message", "\n"}, {"message", "test"}}},
      {"types, each for one event",
       bytes("event:test\ndata:x\n\ndata:x\n\n"),
       {{"test", "x"}, {"message", "x"}}},
      {"an empty type", bytes("event: \ndata:data\n\n"), {{"message", "data"}}},
      {"the last type counts", bytes("event:a\nevent:b\ndata:x\n\n"), {{"b", "x"}}},
      {"a type without data", bytes("event:a\n\ndata:x\n\n"), {{"message", "x"}}},
      {"an id stays",
       bytes("id:1\ndata:a\n\ndata:b\n\nid:2\n\ndata:c\n\n"),
       {{"message", "a", "1"}, {"message", "b", "1"}, {"message", "c", "2"}},
       "2"},
      {"an id without a value resets it",
       bytes("id:1\ndata:a\n\nid\ndata:b\n\nid:\ndata:c\n\n"),
       {{"message", "a", "1"}, {"message", "b"}, {"message", "c"}}},
      {"an id with NUL is none",
       bytes("id:1\ndata:a\n\nid:2\0"
             "2\ndata:b\n\nid:\0\ndata:c\n\n"),
       {{"message", "a", "1"}, {"message", "b", "1"}, {"message", "c", "1"}},
       "1"},
      {"an id beyond ASCII",
       bytes("id:\xe2\x80\xa6\ndata:a\n\n"),
       {{"message", "a", "\xe2\x80\xa6"}},
       "\xe2\x80\xa6"},
      {"NUL in data stays", bytes("data:\0\n\n\0data:no\n\n"), {{"message", bytes("\0")}}},
      {"names of fields are exact",
       bytes("data:\0\ndata:  "
             "2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n"
             " data:32\ndata:4\n\n"),
       {{"message", bytes("\0\n 2\n1\n3\n\n4")}}},
      {"one leading space goes",
       bytes("data:\ttest\rdata: \ndata:test\n\ndata:  x \n\n"),
       {{"message", "\ttest\n\ntest"}, {"message", " x "}}},
      {"all three line ends",
       bytes("data:test\r\ndata\ndata:test\r\n\r\ndata:a\rdata:b\r\rdata:c\n\r\n"),
       {{"message", "test\n\ntest"}, {"message", "a\nb"}, {"message", "c"}}},
      {"CR, LF and CRLF are one line end each",
       bytes("data:a\r\n\ndata:b\n\rdata:c\r\r"),
       {{"message", "a"}, {"message", "b"}, {"message", "c"}}},
      {"a vertical tab, FF, NEL or LS ends no line",
       bytes("data:a\vb\fc\xc2\x85"
             "d\xe2\x80\xa8"
             "e\n\n"),
       {{"message",
         "a\vb\fc\xc2\x85"
         "d\xe2\x80\xa8"
         "e"}}},
      {"retry takes digits", bytes("retry:03000\ndata:x\n\n"), {{"message", "x"}}, "", 3000},
      {"retry takes nothing but digits",
       bytes("retry:1000\nretry:5000x\nretry:-1\nretry:+1\nretry:1.5\nretry: 2 \nretry:\xd9\xa1\n"
             "data:x\n\n"),
       {{"message", "x"}},
       "",
       1000},
      {"retry without a value",
       bytes("retry:2000\nretry:\nretry\ndata:x\n\n"),
       {{"message", "x"}},
       "",
       2000},
      {"retry takes effect at once", bytes("retry:4000\n"), {}, "", 4000},
      {"fields that nobody knows",
       bytes("data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\ndata:test\n\n"),
       {{"message", "test\n\ntest"}}},
      {"a colon alone is a comment", bytes(":\n:\n\ndata:x\n\n"), {{"message", "x"}}},
      {"blank lines alone", bytes("\n\r\n\r\n\n\r"), {}},
      {"UTF-8",
       bytes("data:ok\xe2\x80\xa6 \xf0\x9f\x98\x80\n\n"),
       {{"message", "ok\xe2\x80\xa6 \xf0\x9f\x98\x80"}}},
      {"colons in a value", bytes("data:a: b::c\n\n"), {{"message", "a: b::c"}}},
  };
}

/// The stream in pieces of `size` bytes, the first one of `first` bytes.
void check_in_pieces(const Vector& vector, std::size_t first, std::size_t size) {
  std::vector<Message> seen;
  SseParser parser;
  const auto on_event = [&seen](const SseEvent& event) -> Result<void> {
    seen.push_back({std::string(event.event), std::string(event.data), std::string(event.id)});
    return {};
  };
  const std::string_view all = vector.stream;
  bool fed = parser.feed(all.substr(0, first), on_event).has_value();
  for (std::size_t at = first; at < all.size(); at += size) {
    const std::string piece(
        all.substr(at, size));  // its own memory, so that ASan detects a stale view
    fed = parser.feed(piece, on_event).has_value() && fed;
  }
  const auto retry = parser.retry();
  const bool same_retry =
      vector.retry ? retry == std::chrono::milliseconds(*vector.retry) : !retry.has_value();
  if (fed && seen == vector.messages && parser.last_event_id() == vector.last_id && same_retry)
    return;
  CAPTURE(std::string(vector.name));
  CAPTURE(first);
  CAPTURE(size);
  CHECK(fed);
  CHECK(seen == vector.messages);
  CHECK(parser.last_event_id() == vector.last_id);
  CHECK(same_retry);
}

}  // namespace

TEST_CASE("the browsers' test streams, split at every byte") {
  std::size_t count = 0;
  for (const Vector& vector : vectors()) {
    for (std::size_t first = 0; first <= vector.stream.size(); ++first) {
      check_in_pieces(vector, first, vector.stream.size() + 1);
    }
    check_in_pieces(vector, 0, 1);
    check_in_pieces(vector, 0, 2);
    ++count;
  }
  CHECK(count == 30);
}

}  // namespace svc::http
