// Pure functions of the transport: heads, masks, messages.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "http/check.h"
#include "http/failure.h"
#include "http/head.h"
#include "http/trace.h"

namespace svc::http {

TEST_CASE("a head is parsed line by line") {
  HeadReader reader;
  CHECK_FALSE(*reader.line("HTTP/1.1 -45 what\r\n"));
  CHECK(reader.head().status == 0);
  CHECK_FALSE(*reader.line("HTTP/1.1 100 Continue\r\n"));
  CHECK_FALSE(*reader.line("X-A: interim\r\n"));
  CHECK_FALSE(*reader.line("\r\n"));
  CHECK_FALSE(*reader.line("HTTP/2 204 \r\n"));
  CHECK_FALSE(*reader.line("x-a:  b \r\n"));
  CHECK_FALSE(*reader.line("no colon\r\n"));
  CHECK_FALSE(reader.complete());
  CHECK(*reader.line("\r\n"));
  CHECK(reader.complete());
  CHECK(reader.head().status == 204);
  CHECK(reader.head().version == "2");
  CHECK(reader.head().headers.size() == 1);
  CHECK(reader.head().header("X-A") == "b");
  CHECK_FALSE(*reader.line("X-Trailer: t\r\n"));
  CHECK(reader.head().headers.size() == 1);
}

TEST_CASE("Content-Length values must agree") {
  const auto length = [](std::vector<Header> headers) {
    HttpHead head;
    head.headers = std::move(headers);
    return content_length(head);
  };
  CHECK(*length({{"Content-Length", "5"}, {"content-length", "5, 5"}}) == 5U);
  CHECK_FALSE(length({})->has_value());
  for (const char* value : {"5, 6", "-1", "+5", "0x5", "five", "", "5 5", "99999999999999999999"}) {
    CAPTURE(value);
    CHECK_FALSE(length({{"Content-Length", value}}));
  }
  CHECK_FALSE(length({{"Content-Length", "5"}, {"Content-Length", "6"}}));
}

TEST_CASE("masks") {
  const Secrets secrets{"svc-key"};
  CHECK(mask("see svc-key and svc-key.", secrets) == "see *** and ***.");
  CHECK(mask("Authorization: Bearer x", secrets) == "Authorization: ***");
  CHECK(mask("PROXY-AUTHORIZATION: Basic eA==", secrets) == "PROXY-AUTHORIZATION: ***");
  CHECK(mask("cookie: a=b", secrets) == "cookie: ***");
  CHECK(mask("Set-Cookie: a=b", secrets) == "Set-Cookie: ***");
  CHECK(mask("h2h3 [authorization: Bearer x]", {}) == "h2h3 [authorization: ***]");
  CHECK(mask("'http://user:p@ss@host:1/x?y=a@b'", {}) == "'http://***@host:1/x?y=a@b'");
  CHECK(mask("http://host/a@b", {}) == "http://host/a@b");
  CHECK(mask("//a//b@c//", {}) == "//a//***@c//");
  CHECK(mask("x-authorization-hint: none", {}) == "x-authorization-hint: none");
  CHECK(mask("", secrets).empty());
}

TEST_CASE("a trace consists of lines, without empty ones") {
  std::vector<std::string> lines;
  trace_lines([&](std::string_view line) { lines.emplace_back(line); }, "> ",
              "GET / HTTP/1.1\r\nA: b\x1b\rc\r\n\r\n", {});
  CHECK(lines == std::vector<std::string>{"> GET / HTTP/1.1", "> A: b^[^Mc"});
}

namespace {
/// Hints are sentences, as several may follow one another; a URL ends without a full stop.
bool is_hint(const std::string& hint) {
  if (hint.empty() || hint.front() < 'A' || hint.front() > 'Z') return false;
  return hint.ends_with('.') || hint.substr(hint.rfind(' ') + 1).find("://") != std::string::npos;
}
}  // namespace

TEST_CASE("every failure is a sentence with host, port and a next step") {
  const FailureContext context{.authority = "h:1", .detail = "why", .proxy = "http://p:2"};
  for (int i = 0; i <= static_cast<int>(FailureKind::Other); ++i) {
    const Error error = describe_failure(static_cast<FailureKind>(i), context);
    CHECK(error.fault == Fault::Network);
    CHECK((error.message.find("h:1") != std::string::npos ||
           error.message.find("p:2") != std::string::npos));
    CHECK(is_hint(error.hint));
  }
  for (int i = 0; i <= static_cast<int>(Limit::Idle); ++i) {
    const Error error =
        describe_timeout(static_cast<Limit>(i), std::chrono::milliseconds(1500), "h:1");
    CHECK(error.fault == (i == 0 ? Fault::Network : Fault::Timeout));
    CHECK(error.message.find("h:1") != std::string::npos);
    CHECK(error.message.find("1.5 s") != std::string::npos);
    CHECK(is_hint(error.hint));
  }
}

TEST_CASE("keys") {
  CHECK(check_key(""));
  CHECK(check_key("svc-abcDEF0123456789_-.~+/="));
  for (const char* key : {"a b", "a\n", "\"a\"", "'a'", "a\\", "a,b", "\xc3\xa4", "a\x01"}) {
    const auto result = check_key(key);
    REQUIRE_FALSE(result);
    CHECK(result.error().fault == Fault::Usage);
  }
}

}  // namespace svc::http
