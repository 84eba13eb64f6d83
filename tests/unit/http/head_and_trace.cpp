// Pure functions of the transport: heads, masks, messages.
#include <chrono>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "base/text.h"
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

TEST_CASE("a folded header line continues the one before") {
  HeadReader reader;
  CHECK_FALSE(*reader.line("HTTP/1.1 200 OK\r\n"));
  CHECK_FALSE(*reader.line(" of nothing: x\r\n"));
  CHECK_FALSE(*reader.line("A: one\r\n"));
  CHECK_FALSE(*reader.line("  two  \r\n"));
  CHECK_FALSE(*reader.line("\tthree\r\n"));
  CHECK(*reader.line("\r\n"));
  CHECK(reader.head().version == "1.1");
  CHECK(reader.head().header("a") == "one two three");
  CHECK(reader.head().headers.size() == 2);
}

TEST_CASE("a status is a number from 100") {
  const auto status = [](const char* line) {
    HeadReader reader;
    CHECK_FALSE(*reader.line(line));
    return reader.head().status;
  };
  CHECK(status("HTTP/1.1 100") == 100);
  CHECK(status("HTTP/1.1 099") == 0);
  CHECK(status("HTTP/1.1 99") == 0);
  CHECK(status("HTTP/1.1 999 What") == 999);
  CHECK(status("HTTP/1.1 2000") == 200);
  CHECK(status("HTTP/1.1") == 0);
  CHECK(status("HTTP/1.1 OK") == 0);
}

TEST_CASE("a head has a size limit, and ends with a valid length") {
  HeadReader reader;
  CHECK_FALSE(*reader.line("HTTP/1.1 200 OK\r\n"));
  const std::string rest(k_max_head_bytes - 17 - 3, 'x');
  CHECK(reader.line("A: " + rest));
  const auto over = reader.line("x");
  REQUIRE_FALSE(over);
  CHECK(over.error().fault == Fault::Network);
  CHECK(over.error().message ==
        "the response headers are larger than " + format_bytes(k_max_head_bytes));
  HeadReader invalid;
  CHECK_FALSE(*invalid.line("HTTP/1.1 200 OK\r\n"));
  CHECK_FALSE(*invalid.line("Content-Length: 5x\r\n"));
  const auto end = invalid.line("\r\n");
  REQUIRE_FALSE(end);
  CHECK(end.error().message == "the response has an invalid Content-Length '5x'");
  CHECK_FALSE(invalid.complete());
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
  const auto two = length({{"Content-Length", "5"}, {"Content-Length", "6"}});
  REQUIRE_FALSE(two);
  CHECK(two.error().message == "the response has two different Content-Length values, 5 and 6");
  CHECK(*length({{"Content-Length", "0"}, {"Length", "x"}}) == 0U);
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

TEST_CASE("every failure is a sentence with host, port and a next step") {
  const FailureContext context{.authority = "h:1", .detail = "why", .proxy = "http://p:2"};
  const std::pair<FailureKind, const char*> rows[] = {
      {FailureKind::NameLookup,
       "cannot resolve the host of h:1 (why) / Check the URL and the network."},
      {FailureKind::ProxyNameLookup,
       "cannot resolve the host of the proxy http://p:2 / Check https_proxy and no_proxy."},
      {FailureKind::Connect, "cannot connect to h:1 (why) / Check the URL and the network."},
      {FailureKind::Handshake,
       "TLS handshake with h:1 failed (why) / The key was not sent; the server must support TLS "
       "1.2 or newer."},
      {FailureKind::Certificate,
       "the certificate of h:1 is not trusted (why) / The key was not sent. Check the URL and "
       "this machine's clock; SSL_CERT_FILE can add trusted certificates."},
      {FailureKind::Proxy,
       "the proxy http://p:2 did not connect to h:1 (why) / Check https_proxy and no_proxy."},
      {FailureKind::Broken,
       "empty response from h:1 (why) / Try again; if it persists, check the network."},
      {FailureKind::Truncated, "the response from h:1 ended early (why) / Try again."},
      {FailureKind::NotHttp, "h:1 is not an HTTP server (why) / Check the URL and the port."},
      {FailureKind::BadFraming,
       "malformed response from h:1 (why) / Check the URL, and any proxy in between."},
      {FailureKind::HeadTooLarge,
       "the response headers from h:1 are too large / Check the URL, and any proxy in between."},
      {FailureKind::Other, "the request to h:1 failed (why) / Try again."},
  };
  for (const auto& [kind, told] : rows) {
    const Error error = describe_failure(kind, context);
    CHECK(error.fault == Fault::Network);
    CHECK(error.message + " / " + error.hint == told);
  }
  const std::tuple<Limit, Fault, const char*> limits[] = {
      {Limit::NameLookup, Fault::Network,
       "resolving the host of h:1 timed out after 1.5 s / Check the URL and the network."},
      {Limit::Connect, Fault::Timeout,
       "connecting to h:1 timed out after 1.5 s / Check the network, or raise "
       "--connect-timeout."},
      {Limit::Total, Fault::Timeout, "request to h:1 timed out after 1.5 s / Raise --timeout."},
      {Limit::Idle, Fault::Timeout,
       "no data to or from h:1 for 1.5 s / Try again; the service or the network stalled."},
  };
  for (const auto& [limit, fault, told] : limits) {
    const Error error = describe_timeout(limit, std::chrono::milliseconds(1500), "h:1");
    CHECK(error.fault == fault);
    CHECK(error.message + " / " + error.hint == told);
  }
}

TEST_CASE("a failure names what was known of it") {
  const auto told = [](FailureKind kind, const FailureContext& context) {
    const Error error = describe_failure(kind, context);
    return error.message + " / " + error.hint;
  };
  const FailureContext plain{.authority = "h:1"};
  CHECK(told(FailureKind::Connect, plain) ==
        "cannot connect to h:1 / Check the URL and the network.");
  CHECK(told(FailureKind::Connect, {.authority = "h:1", .detail = "why"}) ==
        "cannot connect to h:1 (why) / Check the URL and the network.");
  const std::string again = " / Try again; if it persists, check the network.";
  CHECK(told(FailureKind::Broken, plain) == "empty response from h:1" + again);
  CHECK(told(FailureKind::Broken, {.authority = "h:1", .answered = true}) ==
        "connection to h:1 lost during the response" + again);
  const std::string distrust =
      "the certificate of h:1 is not trusted / The key was not sent. Check the URL and this "
      "machine's clock; ";
  CHECK(told(FailureKind::Certificate, plain) ==
        distrust + "SSL_CERT_FILE can add trusted certificates.");
  CHECK(told(FailureKind::Certificate, {.authority = "h:1", .trust_variable = "CURL_CA_BUNDLE"}) ==
        distrust + "the file that CURL_CA_BUNDLE names can add trusted certificates.");
  CHECK(told(FailureKind::Certificate, {.authority = "h:1", .trust_variable = "SSL_CERT_DIR"}) ==
        distrust + "the directory that SSL_CERT_DIR names can add trusted certificates.");
  CHECK(told(FailureKind::Certificate, {.authority = "h:1", .trusts_none = true}) ==
        "cannot verify the certificate of h:1: this system has no trusted certificates where svc "
        "looks / The key was not sent. Install the package ca-certificates, or name a file of "
        "certificates in SSL_CERT_FILE.");
}

TEST_CASE("a proxy's failure is told from its status") {
  const auto told = [](int status, const char* proxy, const char* detail) {
    const Error error = describe_failure(
        FailureKind::Proxy,
        {.authority = "h:1", .detail = detail, .proxy = proxy, .proxy_status = status});
    return error.message + " / " + error.hint;
  };
  const std::string check = " / Check https_proxy and no_proxy.";
  CHECK(told(407, "http://p:2", "x") ==
        "the proxy http://p:2 did not connect to h:1: it requires a user name and password, or "
        "rejected the given ones (407) / Set https_proxy to http://USER:PASSWORD@HOST:PORT.");
  CHECK(told(300, "http://p:2", "x") ==
        "the proxy http://p:2 refused to connect to h:1 (300)" + check);
  CHECK(told(408, "", "x") == "the proxy refused to connect to h:1 (408)" + check);
  CHECK(told(299, "", "x") == "the proxy did not connect to h:1 (x)" + check);
  CHECK(told(0, "", "") == "the proxy did not connect to h:1" + check);
}

TEST_CASE("which failures may pass by themselves") {
  for (int i = 0; i <= static_cast<int>(FailureKind::Other); ++i) {
    const auto kind = static_cast<FailureKind>(i);
    const bool passes =
        kind == FailureKind::Broken || kind == FailureKind::Truncated || kind == FailureKind::Other;
    CHECK((describe_failure(kind, {.authority = "h:1"}).cause == Cause::Passing) == passes);
  }
  for (const Limit limit : {Limit::NameLookup, Limit::Connect, Limit::Total, Limit::Idle}) {
    const Error error = describe_timeout(limit, std::chrono::seconds(1), "h:1");
    CHECK((error.cause == Cause::Passing) == (limit == Limit::Idle));
  }
}

TEST_CASE("a request is checked before it is sent") {
  const auto message = [](const HttpRequest& request) {
    const auto checked = check_request(request);
    return checked ? std::string() : checked.error().message + " / " + checked.error().hint;
  };
  HttpRequest request;
  for (const char* method : {"", "GE T", "G\n"}) {
    request.method = method;
    request.url = "https://h/x";
    CHECK(message(request) == "'" + visible(method, Lines::Escape) +
                                  "' is not an HTTP method / Use GET, POST, PUT, PATCH or DELETE.");
  }
  request.method = "GET";
  request.url = "https://h/x";
  CHECK(message(request).empty());
  request.headers = {{"A!#$%&'*+-.^_`|~zZ09", "a\tb"}};
  CHECK(message(request).empty());
  for (const char* name : {"content-length", "Transfer-Encoding", "HOST", "connection", "Expect"}) {
    request.headers = {{name, "x"}};
    CHECK(message(request) ==
          "the header " + std::string(name) +
              " cannot be overridden / Remove it; svc sets it from the request.");
  }
  for (const char* name : {"a b", "a(b", "a/b", "a:b", "a@b", "a[b", "a{b", "\xc3\xa4"}) {
    request.headers = {{name, "x"}};
    CHECK(message(request) ==
          "'" + std::string(name) + "' is not a valid header name / Use --header 'Name: value'.");
  }
  for (const char* value : {"a\x1f", "a\x7f", "\n"}) {
    request.headers = {{"A", value}};
    CHECK(message(request) ==
          "the value of the header A contains a line break or another control character / A "
          "header value must be a single line.");
  }
  request.headers = {};
  request.body = std::vector<Part>{{"a", std::string("b"), "f", "text/plain"}};
  CHECK(message(request).empty());
  const std::string form = " contains a control character in its name or type / Remove it.";
  request.body = std::vector<Part>{{"a\n", std::string("b"), "f", ""}};
  CHECK(message(request) == "the form field 'a^J'" + form);
  request.body = std::vector<Part>{{"a", std::string("b"), "f", "t\n"}};
  CHECK(message(request) == "the form field 'a'" + form);
  request.body = {};
  request.url = "http://h/x";
  CHECK(message(request) ==
        "plain http to h:80 is refused: it would send the key unencrypted / "
        "Use https://; plain http is allowed only to this machine.");
  request.url = "wss://h/x";
  CHECK(message(request) == "'wss://h/x' is not an http URL / Use https://");
  request.url = "http://127.0.0.1/x";
  CHECK(message(request).empty());
}

TEST_CASE("headers with credentials") {
  for (const char* name : {"Authorization", "PROXY-AUTHORIZATION", "cookie"})
    CHECK(is_credential_header(name));
  for (const char* name : {"", "Set-Cookie", "Authorization-Hint", "Accept"})
    CHECK_FALSE(is_credential_header(name));
}

TEST_CASE("keys") {
  CHECK(check_key(""));
  CHECK(check_key("svc-abcDEF0123456789_-.~+/="));
  CHECK(check_key("!~"));
  for (const char* key :
       {"a b", "a\n", "\"a\"", "'a'", "a\\", "a,b", "\xc3\xa4", "a\x01", "a\x7f"}) {
    const auto result = check_key(key);
    REQUIRE_FALSE(result);
    CHECK(result.error().fault == Fault::Usage);
    CHECK(result.error().message ==
          "the API key contains an invalid character: a space, quote, comma, backslash, line "
          "break, control or non-ASCII character");
    CHECK(result.error().hint == "Set the key again, without quotes or a trailing line break.");
  }
}

}  // namespace svc::http
