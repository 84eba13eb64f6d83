#include <doctest/doctest.h>

#include "emulator/server/request_parser.h"

using namespace svc::emulator;
using Step = RequestParser::Step;

namespace {

// Feeds `bytes` cut into pieces of `size`, over the Head steps; the last step, and the request.
std::pair<Step, HttpCall> parsed(std::string_view bytes, std::size_t size) {
  RequestParser parser;
  std::string input;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    input += bytes.substr(at, size);
    for (;;) {
      const Step step = parser.feed(input);
      if (step == Step::Head) continue;
      if (step == Step::Done) return {step, parser.take()};
      if (step != Step::NeedMore) return {step, {}};
      break;
    }
  }
  return {Step::NeedMore, {}};
}

Step outcome(std::string_view bytes) {
  return parsed(bytes, bytes.size()).first;
}

constexpr std::string_view k_plain =
    "POST /v1/x?a=b HTTP/1.1\r\nHost: h\r\nX-Two: 1\r\nContent-Length: 5\r\n\r\nhello";
constexpr std::string_view k_chunked =
    "POST /v1/x?a=b HTTP/1.1\r\nHost: h\r\nX-Two: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
    "2\r\nhe\r\n3;ext=1\r\nllo\r\n0\r\nTrailer: t\r\n\r\n";

}  // namespace

TEST_CASE("a request is the same wherever its bytes are split") {
  for (const auto bytes : {k_plain, k_chunked}) {
    for (std::size_t size = 1; size <= bytes.size(); ++size) {
      const auto [step, call] = parsed(bytes, size);
      REQUIRE(step == Step::Done);
      CHECK(call.method == "POST");
      CHECK(call.target == "/v1/x?a=b");
      CHECK(call.raw_path() == "/v1/x");
      CHECK(call.header("x-two") == "1");
      CHECK(call.body == "hello");
    }
  }
}

TEST_CASE("the head is told before any of the body is taken") {
  RequestParser parser;
  std::string input(k_plain);
  CHECK_FALSE(parser.begun());
  REQUIRE(parser.feed(input) == Step::Head);
  CHECK(parser.begun());
  CHECK(input == "hello");
  CHECK(parser.head().target == "/v1/x?a=b");
  CHECK(parser.content_length() == 5U);
  CHECK(parser.keep_alive());
  CHECK_FALSE(parser.expects_continue());
  CHECK(parser.feed(input) == Step::Done);
}

TEST_CASE("requests follow one another, with empty lines between") {
  RequestParser parser;
  std::string input = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n\r\n\r\nGET /b HTTP/1.0\r\n\r\n";
  REQUIRE(parser.feed(input) == Step::Done);
  CHECK(parser.take().target == "/a");
  REQUIRE(parser.feed(input) == Step::Done);
  CHECK(parser.is_http_10());
  CHECK_FALSE(parser.keep_alive());
  CHECK(parser.take().target == "/b");
  CHECK(parser.feed(input) == Step::NeedMore);
  CHECK_FALSE(parser.begun());
}

TEST_CASE("Expect and Connection are understood") {
  RequestParser parser;
  std::string input =
      "PUT /x HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nConnection: close\r\nContent-Length: "
      "1\r\n\r\n";
  REQUIRE(parser.feed(input) == Step::Head);
  CHECK(parser.expects_continue());
  CHECK_FALSE(parser.keep_alive());
}

TEST_CASE("the absolute form of a target loses its host") {
  const auto target = [](const std::string& given) {
    return parsed("GET " + given + " HTTP/1.1\r\nHost: h\r\n\r\n", 1000).second.target;
  };
  CHECK(target("http://host:80/v1/x?q=1") == "/v1/x?q=1");
  CHECK(target("http://host") == "/");
  CHECK(target("/v1/x?u=http://a/b") == "/v1/x?u=http://a/b");
}

TEST_CASE("what is not HTTP/1 is malformed") {
  CHECK(outcome("\x16\x03\x01\x02 TLS hello\r\n\r\n") == Step::Malformed);
  CHECK(outcome("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") == Step::Malformed);
  CHECK(outcome("GET /x\r\n\r\n") == Step::Malformed);
  CHECK(outcome("GET /x HTTP/1.1\r\nno colon\r\n\r\n") == Step::Malformed);
  CHECK(outcome("POST /x HTTP/1.1\r\nContent-Length: x\r\n\r\n") == Step::Malformed);
  CHECK(outcome("POST /x HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n") ==
        Step::Malformed);
  CHECK(outcome("POST /x HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n") ==
        Step::Malformed);
  CHECK(outcome("POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n") == Step::Malformed);
}

TEST_CASE("heads, bodies and chunk lines have bounds") {
  CHECK(outcome("GET /x HTTP/1.1\r\nA: " + std::string(70'000, 'a')) == Step::HeadTooLarge);
  CHECK(outcome("POST /x HTTP/1.1\r\nContent-Length: 67108865\r\n\r\n") == Step::BodyTooLarge);
  CHECK(outcome("POST /x HTTP/1.1\r\nContent-Length: 99999999999999999\r\n\r\n") ==
        Step::BodyTooLarge);
  CHECK(outcome("POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4000001\r\n") ==
        Step::BodyTooLarge);
  CHECK(outcome("POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;" +
                std::string(200'000, 'a')) == Step::Malformed);
  CHECK(outcome("POST /x HTTP/1.1\r\nContent-Length: 67108864\r\n\r\n") == Step::NeedMore);
}
