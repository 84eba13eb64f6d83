#include "http/url.h"

#include <vector>

#include <doctest/doctest.h>

namespace svc::http {
namespace {

std::string normal(std::string_view text) {
  auto url = normalise_base_url(text);
  return url ? *url : "error: " + url.error().message;
}

bool refused(std::string_view text, std::string_view word) {
  const auto url = normalise_base_url(text);
  if (url) return false;
  CHECK(url.error().fault == Fault::Usage);
  CHECK_FALSE(url.error().hint.empty());
  CAPTURE(url.error().message);
  return url.error().message.find(word) != std::string::npos;
}

}  // namespace

TEST_CASE("row 101: a base URL is normalised") {
  CHECK(normal("https://api.example.com") == "https://api.example.com");
  CHECK(normal("https://api.example.com/") == "https://api.example.com");
  CHECK(normal("https://api.example.com//") == "https://api.example.com");
  CHECK(normal("https://api.example.com/v1") == "https://api.example.com");
  CHECK(normal("https://api.example.com/v1/") == "https://api.example.com");
  CHECK(normal("https://api.example.com//v1//") == "https://api.example.com");
  CHECK(normal("  https://API.Example.COM:443/v1\n") == "https://api.example.com");
  CHECK(normal("https://api.example.com/v1/v1/") == "https://api.example.com");
  CHECK(normal("https://gate.example.com/svc/v1") == "https://gate.example.com/svc");
  CHECK(normal("https://gate.example.com/xv1") == "https://gate.example.com/xv1");
  CHECK(normal("https://gate.example.com:8443") == "https://gate.example.com:8443");
  CHECK(normal("https://[2001:DB8::1]:8443/v1") == "https://[2001:db8::1]:8443");
  CHECK(normal("http://127.0.0.1:8080/v1") == "http://127.0.0.1:8080");
  CHECK(normal("http://localhost") == "http://localhost");
  CHECK(normal("http://[::1]:1") == "http://[::1]:1");
  CHECK(normal("https://b\xc3\xbc"
               "cher.example") ==
        "https://b\xc3\xbc"
        "cher.example");
}

TEST_CASE("row 101: invalid base URLs") {
  CHECK(refused("", "empty"));
  CHECK(refused("api.example.com", "no scheme"));
  CHECK(refused("api.example.com/v1", "no scheme"));
  CHECK(refused("://x", "no scheme"));
  CHECK(refused("ftp://x", "scheme"));
  CHECK(refused("file:///etc/passwd", "scheme"));
  CHECK(refused("wss://api.example.com", "WebSocket"));
  CHECK(refused("http://api.example.com", "not encrypted"));
  CHECK(refused("http://127.0.0.1.example.com", "not encrypted"));
  CHECK(refused("http://128.0.0.1", "not encrypted"));
  CHECK(refused("http://0177.0.0.1", "not encrypted"));
  CHECK(refused("http://127.1", "not encrypted"));
  CHECK(refused("http://[::ffff:127.0.0.1]", "not encrypted"));
  CHECK(refused("https://evil%2Fhost", "host"));
  CHECK(refused("https://a%2eb", "host"));
  CHECK(refused("https://", "host"));
  CHECK(refused("https:///v1", "host"));
  CHECK(refused("https://:443", "host"));
  CHECK(refused("https://.example.com", "host"));
  CHECK(refused("https://[::1", "host"));
  CHECK(refused("https://[zz]", "host"));
  CHECK(refused("https://[::1]x", "host"));
  CHECK(refused("https://h:0", "port"));
  CHECK(refused("https://h:65536", "port"));
  CHECK(refused("https://h:99999999999999999999", "port"));
  CHECK(refused("https://h:", "port"));
  CHECK(refused("https://h:+80", "port"));
  CHECK(refused("https://h:8 0", "space"));
  CHECK(refused("https://h/a\nb", "character"));
  CHECK(refused("https://h\\@evil", "character"));
  CHECK(refused("https://h?a=b", "query"));
  CHECK(normal("https://h:65535") == "https://h:65535");
  CHECK(normal("https://h:1") == "https://h:1");
}

TEST_CASE("user information is rejected and never repeated") {
  const auto url = normalise_base_url("https://user:secret-password@api.example.com/v1");
  REQUIRE_FALSE(url);
  CHECK(url.error().message.find("contains credentials") != std::string::npos);
  CHECK(url.error().message.find("secret") == std::string::npos);
  CHECK(url.error().hint.find("secret") == std::string::npos);
  CHECK(refused("https://a@b@c", "credentials"));
}

TEST_CASE("a refused URL is told with what to use instead") {
  const auto told = [](std::string_view text) {
    const auto url = normalise_realtime_url(text);
    REQUIRE_FALSE(url);
    return url.error().message + " / " + url.error().hint;
  };
  CHECK(told("http://h/v1") ==
        "the URL 'http://h/v1' is not encrypted; plain http is allowed only to this machine / Use "
        "https://h");
  CHECK(told("ws://h") ==
        "the URL 'ws://h' is not encrypted; plain http is allowed only to this machine / Use "
        "wss://h");
  CHECK(told("h/x") == "the URL 'h/x' has no scheme / Use https://h");
  CHECK(told("a@h/x") == "the URL '***@h/x' has no scheme / Use https://***@h");
  CHECK(told("https://a:b@h/x@y") ==
        "the URL 'https://***@h/x@y' contains credentials, which would end up in logs / Remove "
        "everything up to the '@'; keys come from the environment or the profile.");
  const std::string example = " / Use a URL such as https://api.example.com";
  CHECK(told("https://h:0") ==
        "the URL 'https://h:0' has an invalid port '0'; must be 1 to 65535" + example);
  CHECK(told("https://h:1\n2") ==
        "the URL 'https://h:1^J2' contains a space or another invalid character" + example);
  CHECK(told("https://h/?a@b") ==
        "the URL 'https://h/?a@b' has a query, which is not allowed in a base URL" + example);
  CHECK(told("") == "the URL is empty / Use https:// and a host name.");
  for (const std::string host : {"https://", "https://[::1]x", "https://a!b"}) {
    CHECK(told(host) == "the URL '" + host + "' has no valid host name" + example);
  }
  CHECK(told("ftp://h") == "the URL 'ftp://h' has an unsupported scheme; use https" + example);
  const auto realtime = normalise_base_url("wss://h");
  REQUIRE_FALSE(realtime);
  CHECK(realtime.error().message ==
        "the URL 'wss://h' is a WebSocket URL; an https URL is required");
  CHECK(" / " + realtime.error().hint == example);
}

TEST_CASE("characters that no URL has") {
  for (const char c : {' ', '\x1f', '\x7f', '\\', '"', '<', '>', '^', '`', '{', '|', '}'}) {
    CAPTURE(c);
    const auto url = parse_url("https://h/a" + std::string(1, c) + "b");
    REQUIRE_FALSE(url);
    CHECK(url.error().message.ends_with(" contains a space or another invalid character"));
  }
  for (const char c : {'!', '~', '\'', '(', '*', '\xc3'}) {
    CHECK(parse_url("https://h/a" + std::string(1, c) + "b"));
  }
  for (const char c : {'/', '_', '-', '.', 'a', 'z', '0', '9'}) {
    CAPTURE(c);
    CHECK(parse_url("https://a" + std::string(1, c) + "b"));
  }
  for (const char c : {'!', '+', '(', ';', '=', '~', '%'}) {
    CAPTURE(c);
    CHECK_FALSE(parse_url("https://a" + std::string(1, c) + "b"));
  }
}

TEST_CASE("a URL in a message cannot control the terminal") {
  const auto url = parse_url("https://\x1b]52;c;evil\x07");
  REQUIRE_FALSE(url);
  CHECK(url.error().message.find('\x1b') == std::string::npos);
  const auto bidi = parse_url(
      "https://a\xe2\x80\xae"
      "b:0");
  REQUIRE_FALSE(bidi);
  CHECK(bidi.error().message.find("\xe2\x80\xae") == std::string::npos);
}

TEST_CASE("the realtime URL is derived from the base URL") {
  CHECK(*normalise_realtime_url("https://api.example.com/v1/") == "wss://api.example.com");
  CHECK(*normalise_realtime_url("wss://api.example.com") == "wss://api.example.com");
  CHECK(*normalise_realtime_url("ws://localhost:9") == "ws://localhost:9");
  CHECK(*normalise_realtime_url("http://127.0.0.1:9/v1") == "ws://127.0.0.1:9");
  CHECK_FALSE(normalise_realtime_url("ws://api.example.com"));
  CHECK(to_websocket_url("https://h/p") == "wss://h/p");
  CHECK(to_websocket_url("http://h/p") == "ws://h/p");
  CHECK(to_websocket_url("wss://h/p") == "wss://h/p");
}

TEST_CASE("loopback is 127.0.0.0/8, ::1 and localhost") {
  for (const char* host :
       {"localhost", "LOCALHOST", "127.0.0.1", "127.255.0.9", "::1", "0:0:0:0:0:0:0:1"})
    CHECK_MESSAGE(is_loopback_host(host), host);
  for (const char* host : {"", "local", "localhost.", "localhost.example.com", "126.0.0.1",
                           "0.0.0.0", "::", "127.0.0.1.nip.io", "2130706433", "::2"})
    CHECK_MESSAGE(!is_loopback_host(host), host);
  CHECK(is_loopback("http://127.0.0.1:80/x"));
  CHECK(is_loopback("https://[::1]/x"));
  CHECK_FALSE(is_loopback("http://example.com#127.0.0.1"));
  CHECK_FALSE(is_loopback("nonsense"));
}

TEST_CASE("parsing a URL") {
  const auto url = parse_url("HTTPS://Example.COM:444/a/b?c=d#e");
  REQUIRE(url);
  CHECK(url->scheme == "https");
  CHECK(url->host == "example.com");
  CHECK(url->port == 444);
  CHECK(url->path == "/a/b");
  CHECK(url->query == "?c=d");
  CHECK(url->text() == "https://example.com:444/a/b?c=d");
  CHECK(url->authority() == "example.com:444");
  CHECK(parse_url("https://[::1]")->authority() == "[::1]:443");
  CHECK(same_origin(*url, *parse_url("https://example.com:444/other")));
  CHECK_FALSE(same_origin(*url, *parse_url("https://example.com/a/b")));
  CHECK_FALSE(same_origin(*parse_url("https://h:80"), *parse_url("http://h:80")));
}

TEST_CASE("references of a Location header") {
  const Url from = *parse_url("https://h:9/a/b/c?q=1");
  const auto to = [&](std::string_view location) {
    const auto url = resolve_reference(from, location);
    return url ? url->text() : std::string("error");
  };
  CHECK(to("https://other/x") == "https://other/x");
  CHECK(to("//other/x") == "https://other/x");
  CHECK(to("/x/y") == "https://h:9/x/y");
  CHECK(to("d") == "https://h:9/a/b/d");
  CHECK(to("../d?e=f#g") == "https://h:9/a/d?e=f");
  CHECK(to("../../../../d") == "https://h:9/d");
  CHECK(to("./") == "https://h:9/a/b/");
  CHECK(to("..") == "https://h:9/a/");
  CHECK(to("d/.") == "https://h:9/a/b/d/");
  CHECK(to("?z=1") == "https://h:9/a/b/c?z=1");
  CHECK(to("") == "https://h:9/a/b/c?q=1");
  CHECK(to("#x:y") == "https://h:9/a/b/c?q=1");
  CHECK(to("?z=a:b") == "https://h:9/a/b/c?z=a:b");
  CHECK(to("d/e:f") == "https://h:9/a/b/d/e:f");
  CHECK(to(" /x ") == "https://h:9/x");
  CHECK(resolve_reference(*parse_url("https://h"), "d")->text() == "https://h/d");
  CHECK(to("file:///etc/passwd") == "error");
  CHECK(to("ftp://h/x") == "error");
  CHECK(to("javascript:alert(1)") == "error");
  CHECK(to("/a b") == "error");
  CHECK(resolve_reference(from, "/a b").error().message ==
        "the URL '/a b' contains an invalid character");
}

}  // namespace svc::http
