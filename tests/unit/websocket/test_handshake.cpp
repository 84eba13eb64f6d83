// The opening handshake (RFC 6455 §4): rows 56 to 58 of the fault list.
#include <doctest/doctest.h>

#include "websocket/handshake.h"

using namespace svc;
using namespace svc::websocket;

namespace {

Handshake handshake(OpenRequest request = {.url = "ws://127.0.0.1:9/v1/x?a=b"}) {
  auto made = Handshake::make(request, "svc/test");
  REQUIRE(made.has_value());
  return *std::move(made);
}

std::string key_of(const Handshake& made) {
  const std::string& text = made.text();
  const std::size_t begin = text.find("Sec-WebSocket-Key: ") + 19;
  return text.substr(begin, text.find('\r', begin) - begin);
}

/// "accepted", "refused", "more" or the error.
std::string taken(Handshake& made, const std::string& answer) {
  std::string last = "more";
  for (const char c : answer) {
    const auto whole = made.feed({&c, 1});
    if (!whole) return whole.error().message;
    if (*whole) return made.accepted() ? "accepted" : "refused";
  }
  return last;
}

std::string upgraded(const Handshake& made, const std::string& more = "") {
  return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: keep-alive, "
         "upgrade\r\nSec-WebSocket-Accept: " +
         accept_key(key_of(made)) + "\r\n" + more + "\r\n";
}

}  // namespace

TEST_CASE("the accept key of RFC 6455 §1.3") {
  CHECK(accept_key("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

TEST_CASE("the request") {
  const Handshake made = handshake({.url = "ws://127.0.0.1:9/v1/x?a=b",
                                    .headers = {{"X-One", "1"}},
                                    .bearer = "key",
                                    .subprotocols = {"a", "b"}});
  const std::string& text = made.text();
  CHECK(text.starts_with("GET /v1/x?a=b HTTP/1.1\r\nHost: 127.0.0.1:9\r\n"));
  for (const char* line :
       {"\r\nUpgrade: websocket\r\n", "\r\nConnection: Upgrade\r\n",
        "\r\nSec-WebSocket-Version: 13\r\n", "\r\nSec-WebSocket-Protocol: a, b\r\n",
        "\r\nAuthorization: Bearer key\r\n", "\r\nX-One: 1\r\n", "\r\nUser-Agent: svc/test\r\n"}) {
    CAPTURE(line);
    CHECK(text.find(line) != std::string::npos);
  }
  CHECK(text.ends_with("\r\n\r\n"));
  CHECK(key_of(made).size() == 24);
  CHECK(key_of(made) != key_of(handshake()));
  CHECK(handshake({.url = "wss://api.example"})
            .text()
            .starts_with("GET / HTTP/1.1\r\nHost: api.example\r\n"));
}

TEST_CASE("invalid requests") {
  const auto refused = [](OpenRequest request) {
    const auto made = Handshake::make(request, "");
    return !made && made.error().fault == Fault::Usage;
  };
  for (const char* name : {"Sec-WebSocket-Key", "Upgrade", "Host"}) {
    const auto made = Handshake::make({.url = "ws://127.0.0.1/", .headers = {{name, "a"}}}, "");
    REQUIRE_FALSE(made);
    CHECK(made.error().message == "the header " + std::string(name) + " cannot be overridden");
    CHECK(made.error().hint == "Remove it; svc sets it from the request.");
  }
  CHECK(refused({.url = "ws://api.example/"}));  // a key over an unencrypted connection
  CHECK(refused({.url = "ftp://127.0.0.1/"}));
  CHECK(refused({.url = "ws://127.0.0.1/", .bearer = "a\r\nb"}));
  CHECK(refused({.url = "ws://127.0.0.1/", .headers = {{"X", "a\r\nY: b"}}}));
  CHECK(refused({.url = "ws://127.0.0.1/", .headers = {{"Sec-WebSocket-Key", "a"}}}));
  CHECK(refused({.url = "ws://127.0.0.1/", .headers = {{"Upgrade", "a"}}}));
}

TEST_CASE("accepted, followed by the first frames") {
  Handshake made = handshake();
  const auto whole = made.feed(upgraded(made) + "frames");
  REQUIRE(whole.has_value());
  CHECK(*whole);
  CHECK(made.accepted());
  CHECK(made.take_rest() == "frames");
  Handshake slow = handshake();
  CHECK(taken(slow, upgraded(slow)) == "accepted");
  Handshake chosen = handshake({.url = "ws://127.0.0.1/", .subprotocols = {"a", "b"}});
  CHECK(taken(chosen, upgraded(chosen, "Sec-WebSocket-Protocol: b\r\n")) == "accepted");
  Handshake early = handshake();
  CHECK(taken(early, "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + upgraded(early)) ==
        "accepted");
}

TEST_CASE("invalid responses") {
  const auto broken = [](auto change) {
    Handshake made = handshake();
    std::string answer = upgraded(made);
    change(answer);
    return taken(made, answer);
  };
  const auto without = [](std::string word, std::string by) {
    return [word, by](std::string& answer) { answer.replace(answer.find(word), word.size(), by); };
  };
  const std::string start = "127.0.0.1:9 does not speak WebSocket: ";
  CHECK(broken(without("Upgrade: WebSocket", "X: y")).find("no Upgrade") != std::string::npos);
  CHECK(broken(without("upgrade\r\n", "close\r\n")).find("no Connection") != std::string::npos);
  CHECK(broken(without("Accept: ", "Accept: x")).find("accept key") != std::string::npos);
  CHECK(broken(without("Sec-WebSocket-Accept", "Sec-Nothing")).find("accept key") !=
        std::string::npos);
  CHECK(broken(without("HTTP/1.1", "SSH-2.0-")).find("not HTTP") != std::string::npos);
  CHECK(broken([](std::string& answer) {
          answer.insert(answer.find("Upgrade"), "Sec-WebSocket-Extensions: permessage-deflate\r\n");
        }) == start + "it selected an extension that was not requested");
  CHECK(broken([](std::string& answer) {
          answer.insert(answer.find("Upgrade"), "Sec-WebSocket-Protocol: chat\r\n");
        }) == start + "it selected a subprotocol that was not requested");
  Handshake endless = handshake();
  const std::string line = "X: " + std::string(1000, 'x') + "\r\n";
  auto state = endless.feed("HTTP/1.1 101 Yes\r\n");
  for (int i = 0; i < 1000 && state && !*state; ++i) state = endless.feed(line);
  CHECK_FALSE(state.has_value());
  Handshake one_line = handshake();
  CHECK(taken(one_line, "HTTP/1.1 101 " + std::string(300'000, 'x')) ==
        start + "its response headers are too long");
}

TEST_CASE("what an invalid response is, word for word") {
  const auto said = [](const std::string& answer) {
    Handshake made = handshake();
    return taken(made, answer);
  };
  const std::string start = "127.0.0.1:9 does not speak WebSocket: ";
  CHECK(said("SSH-2.0\r\n") == start + "its response is not HTTP");
  CHECK(said("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") ==
        start + "it returned 200 instead of 101");
  CHECK(said("HTTP/1.1 299 OK\r\nContent-Length: 0\r\n\r\n") ==
        start + "it returned 299 instead of 101");
  CHECK(said("HTTP/1.1 300 No\r\nContent-Length: 0\r\n\r\n") == "refused");
  for (const char* status : {"204", "304"}) {
    const std::string head = "HTTP/1.1 " + std::string(status) + " No\r\n\r\n";
    CHECK(said(head) == (head.find("204") != std::string::npos
                             ? start + "it returned 204 instead of 101"
                             : std::string("refused")));
  }
  CHECK(said("HTTP/1.1 101 Yes\r\n\r\n") == start + "its response has no Upgrade: websocket");
  CHECK(said("HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\n\r\n") ==
        start + "its response has no Connection: Upgrade");
  CHECK(said("HTTP/1.1 101 Yes\r\nUpgrade: h2c, websocket\r\nConnection: upgrade\r\n\r\n") ==
        start + "its accept key is wrong");
  Handshake gone = handshake();
  const auto ended = gone.ended();
  REQUIRE_FALSE(ended.has_value());
  CHECK(ended.error().message ==
        "127.0.0.1:9 closed the connection during the WebSocket handshake");
  // Of a refusal, the first 64 KiB are read.
  constexpr std::size_t most = 64U << 10U;
  Handshake large = handshake();
  REQUIRE(large.feed("HTTP/1.1 500 No\r\n\r\n" + std::string(most - 1, 'x')).has_value());
  CHECK(large.feed("x").value());
  CHECK(large.refusal().size() == most);
  Handshake larger = handshake();
  CHECK(larger.feed("HTTP/1.1 500 No\r\n\r\n" + std::string(most + 9, 'x')).value());
  CHECK(larger.refusal().size() == most);
  // A chunk that is no number ends it.
  Handshake odd = handshake();
  CHECK(odd.feed("HTTP/1.1 500 No\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n2\r\nab\r\nzz\r\n")
            .value());
  CHECK(odd.refusal() == "ab");
}

TEST_CASE("refusals with their content") {
  Handshake plain = handshake();
  CHECK(taken(plain, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\n{}") == "refused");
  CHECK(plain.head().status == 401);
  CHECK(plain.refusal() == "{}");
  Handshake longer = handshake();
  CHECK(longer.feed("HTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 OK").value());
  CHECK(longer.refusal() == "{}");
  Handshake empty = handshake();
  CHECK(empty.feed("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\nmore").value());
  CHECK(empty.refusal().empty());
  Handshake chunks = handshake();
  CHECK(taken(chunks,
              "HTTP/1.1 429 No\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x\r\nde\r\n"
              "0\r\n\r\n") == "refused");
  CHECK(chunks.refusal() == "abcde");
  Handshake open = handshake();
  CHECK(taken(open, "HTTP/1.1 500 No\r\n\r\nwhy") == "more");
  const auto ended = open.ended();
  REQUIRE(ended.has_value());
  CHECK(open.refusal() == "why");
  Handshake nothing = handshake();
  CHECK_FALSE(nothing.ended().has_value());
  Handshake two = handshake();
  CHECK(taken(two, "HTTP/1.1 401 No\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n")
            .find("Content-Length") != std::string::npos);
}
