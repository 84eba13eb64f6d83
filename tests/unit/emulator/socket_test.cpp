// WebSockets: handshake and authorization, messages both ways, close, faults.
#include "emulator/handler/socket.h"

#include <atomic>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "emulator/handler/handler.h"
#include "unit/emulator/core_support.h"
#include "unit/emulator/socket_support.h"

using namespace svc;
using namespace svc::emulator;
using namespace std::chrono_literals;
using test::SocketClient;
using test::TestServer;
using Kind = SocketClient::Message::Kind;

namespace {

struct Seen {
  std::atomic<int> closed = 0;
  std::atomic<int> code = 0;
  std::atomic<int> drained = 0;
};

// Echoes its messages; some texts are commands.
class EchoSession final : public SocketSession {
 public:
  EchoSession(std::string greeting, Seen& seen) : m_greeting(std::move(greeting)), m_seen(seen) {}

  void on_open(std::shared_ptr<SocketPeer> peer) override {
    m_peer = std::move(peer);
    m_peer->send_text(m_greeting);
  }
  void on_binary(std::string message) override { m_peer->send_binary(std::move(message)); }
  void on_text(std::string message) override {
    if (message == "bye") return m_peer->close(4001, "as you say");
    if (message == "throw") throw std::runtime_error("a bug");
    if (message == "late") return later();
    if (message == "apart") return apart();
    if (message == "much") {
      for (int i = 0; i < 1000; ++i) m_peer->send_text(fmt::format("{}", i));
      return m_peer->close(1000, "");
    }
    if (message == "bye twice") {
      m_peer->close(4001, "first");
      m_peer->close(4002, "second");
      return m_peer->send_text("too late");
    }
    if (message.starts_with("megabytes: ")) {
      for (int i = std::stoi(message.substr(11)); i > 0; --i) {
        m_peer->send_binary(std::string(1U << 20U, 'm'));
      }
      return;
    }
    if (message == "deaf") {
      m_peer->pause_reading();
      return talk();
    }
    if (message == "pause") {
      m_peer->pause_reading();
      m_peer->start_timer(100ms, [this] {
        m_peer->send_text("go on");
        m_peer->resume_reading();
      });
      return;
    }
    m_peer->send_text(std::move(message));
  }
  void on_drained() override { ++m_seen.drained; }
  void on_closed(std::uint16_t code, std::string_view) override {
    ++m_seen.closed;
    m_seen.code = code;
  }

 private:
  void later() {
    const auto never = m_peer->start_timer(10ms, [this] { m_peer->send_text("never"); });
    m_peer->start_timer(50ms, [this] { m_peer->send_text("late"); });
    m_peer->cancel_timer(never);
  }
  void talk() {
    m_peer->send_text("on and on");
    m_peer->start_timer(1ms, [this] { talk(); });
  }
  void apart() {
    m_peer->run_blocking([peer = m_peer, loop = std::this_thread::get_id()] {
      const bool other = std::this_thread::get_id() != loop;
      peer->post([peer, other] { peer->send_text(other ? "another thread" : "the same thread"); });
    });
  }

  std::string m_greeting;
  Seen& m_seen;
  std::shared_ptr<SocketPeer> m_peer{};
};

std::vector<Route> socket_routes(Seen& seen) {
  const auto open =
      [&seen](const Request& call) -> std::variant<std::shared_ptr<SocketSession>, Response> {
    std::string greeting = "hello";
    for (const Header& member : call.query) {
      if (member.name == "refuse")
        return error_response(400, "Client specified an invalid argument", "No.");
      greeting += fmt::format(" {}={}", member.name, member.value);
    }
    if (call.client_secret) greeting += " secret " + *call.client_secret;
    return std::make_shared<EchoSession>(greeting, seen);
  };
  const auto secrets = [](State& state,
                          std::string_view value) -> Result<std::optional<SecretGrant>> {
    if (!value.ends_with("good")) return std::optional<SecretGrant>{};
    SVC_TRY(key, state.find_key(k_demo_key));
    return std::optional(SecretGrant{*key, "{}"});
  };
  const auto slow = [](const Request& call) {
    Response response;
    response.body = fmt::format("{}", call.stop.stop_possible());
    return response;
  };
  const auto count = [](const Request& call) {
    Response response;
    const std::string last =
        call.body_file ? *call.body_file->read(call.body_file->size() - 4, 4) : std::string(4, ' ');
    response.body = fmt::format("{} {} {}", call.body.size(),
                                call.body_file ? call.body_file->size() : 0, last);
    return response;
  };
  Route spooled{"POST", "/spool", count, "", Input::Free};
  spooled.max_body = 100U << 20U;
  spooled.spool = true;
  return {spooled,
          socket_route({.path = "/echo", .factory = open, .endpoint_acl = "echo"}),
          socket_route({.path = "/secret", .factory = open, .secrets = secrets}),
          {"POST", "/echo", slow, "", Input::Free, KeyRequirement::Usable, 64, RunOn::Worker}};
}

std::string word_of(const SocketClient::Message& message) {
  return message.kind == Kind::Text ? message.bytes : fmt::format("<{}>", int(message.kind));
}

}  // namespace

TEST_CASE("messages go both ways, even before the answer and together") {
  Seen seen;
  TestServer server(socket_routes(seen));
  {
    SocketClient client(server.port(), "/echo?keyterm=a%20b&keyterm=c%26d&empty=");
    CHECK(client.status() == 101);
    CHECK(client.header("Sec-WebSocket-Protocol").empty());
    CHECK(word_of(client.receive()) == "hello keyterm=a b keyterm=c&d empty=");
    client.send_text("one");
    client.ping();
    client.send_text("two");
    CHECK(word_of(client.receive()) == "one");
    CHECK(word_of(client.receive()) == "two");
    const std::string large(17'000'000, 'x');
    client.send_binary(large);
    const auto back = client.receive();
    CHECK(back.kind == Kind::Binary);
    CHECK(back.bytes == large);
    client.close();
  }
  while (seen.closed == 0) std::this_thread::sleep_for(1ms);
  CHECK(seen.code == 1000);
  CHECK(seen.drained > 0);
}

TEST_CASE("timers, other threads, pauses and long queues") {
  Seen seen;
  TestServer server(socket_routes(seen));
  SocketClient client(server.port(), "/echo");
  CHECK(word_of(client.receive()) == "hello");
  client.send_text("late");
  CHECK(word_of(client.receive()) == "late");
  client.send_text("apart");
  CHECK(word_of(client.receive()) == "another thread");
  client.send_text("pause");
  client.send_text("next");
  CHECK(word_of(client.receive()) == "go on");
  CHECK(word_of(client.receive()) == "next");
  client.send_text("much");
  for (int i = 0; i < 1000; ++i) REQUIRE(word_of(client.receive()) == std::to_string(i));
  const auto end = client.receive();
  CHECK(end.kind == Kind::Closed);
  CHECK(end.code == 1000);
}

TEST_CASE(
    "the session closes the connection, with its code and reason; an exception in it gives 1011") {
  Seen seen;
  TestServer server(socket_routes(seen));
  for (const auto& [say, code] : {std::pair("bye", 4001), std::pair("throw", 1011)}) {
    SocketClient client(server.port(), "/echo");
    CHECK(word_of(client.receive()) == "hello");
    client.send_text(say);
    const auto end = client.receive();
    CHECK(end.kind == Kind::Closed);
    CHECK(end.code == code);
    if (code == 4001) CHECK(end.bytes == "as you say");
  }
  SocketClient gone(server.port(), "/echo");
  CHECK(word_of(gone.receive()) == "hello");
  seen.closed = 0;
  gone.drop();
  while (seen.closed == 0) std::this_thread::sleep_for(1ms);
  CHECK(seen.code == k_close_abnormal);
}

TEST_CASE("row 57: unauthorized requests and invalid handshakes are rejected before the upgrade") {
  Seen seen;
  TestServer server(socket_routes(seen));
  const auto status = [&](const std::string& target, const std::vector<Header>& headers) {
    SocketClient client(server.port(), target, headers);
    CHECK_FALSE(client.is_open());
    CHECK(client.body().find("\"error\"") != std::string::npos);
    return client.status();
  };
  const auto key = [](std::string_view secret) {
    return std::vector<Header>{{"Authorization", fmt::format("Bearer {}", secret)}};
  };
  CHECK(status("/echo", {}) == 401);
  CHECK(status("/echo", key("svc-wrong-key")) == 400);
  CHECK(status("/echo?refuse=1", test::with_demo_key()) == 400);
  CHECK(status("/nowhere", test::with_demo_key()) == 404);
  KeyRecord weak{"k2", "weak", "sv***", std::string(k_demo_team_id), std::string(k_demo_user_id)};
  weak.acls = {"api-key:endpoint:chat"};
  REQUIRE(server.state().add_key(weak, "svc-weak"));
  CHECK(status("/echo", key("svc-weak")) == 403);
  KeyRecord off = weak;
  off.id = "k3";
  off.acls = {"api-key:endpoint:*"};
  off.disabled = true;
  REQUIRE(server.state().add_key(off, "svc-off"));
  CHECK(status("/echo", key("svc-off")) == 403);
  KeyRecord rare = weak;
  rare.id = "k4";
  rare.acls = {"api-key:endpoint:*"};
  rare.qpm = 1;
  REQUIRE(server.state().add_key(rare, "svc-rare"));
  CHECK(SocketClient(server.port(), "/echo", key("svc-rare")).is_open());
  CHECK(status("/echo", key("svc-rare")) == 429);

  test::RawClient plain(server.port());
  plain.send(test::get_request("/echo"));
  CHECK(plain.receive_response().starts_with("HTTP/1.1 426 "));
  plain.send(test::get_request(
      "/echo",
      "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Key: "
      "short\r\nSec-WebSocket-Version: 13\r\n"));
  CHECK(plain.receive_response().starts_with("HTTP/1.1 400 "));
  plain.send(test::get_request("/echo",
                               "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: "
                               "AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 8\r\n"));
  const std::string response = plain.receive_response();
  CHECK(response.starts_with("HTTP/1.1 426 "));
  CHECK(response.find("Sec-WebSocket-Version: 13\r\n") != std::string::npos);
}

TEST_CASE("client secrets, where a route accepts them, as a bearer token or a subprotocol") {
  Seen seen;
  TestServer server(socket_routes(seen));
  const std::string good = "svc-realtime-client-secret-good";
  const std::string protocol = "svc-client-secret." + good;
  const std::vector<Header> by_protocol = {{"Sec-WebSocket-Protocol", protocol}};
  const std::vector<Header> by_bearer = {{"Authorization", "Bearer " + good}};
  SocketClient browser(server.port(), "/secret", by_protocol);
  CHECK(browser.status() == 101);
  CHECK(browser.header("Sec-WebSocket-Protocol") == protocol);
  CHECK(word_of(browser.receive()) == "hello secret {}");
  SocketClient bearer(server.port(), "/secret", by_bearer);
  CHECK(word_of(bearer.receive()) == "hello secret {}");
  CHECK(
      SocketClient(server.port(), "/secret", {{"Sec-WebSocket-Protocol", "svc-client-secret.bad"}})
          .status() == 401);
  CHECK(SocketClient(server.port(), "/echo", by_bearer).status() == 401);
  // No secret is in the log.
  CHECK(SocketClient(server.port(), "/secret").is_open());
}

TEST_CASE("the server's end closes sockets with 1001") {
  Seen seen;
  TestServer server(socket_routes(seen));
  SocketClient client(server.port(), "/echo");
  CHECK(word_of(client.receive()) == "hello");
  std::thread stopping([&] { server.stop(5s); });
  const auto end = client.receive();
  CHECK(end.kind == Kind::Closed);
  CHECK(end.code == 1001);
  stopping.join();
  CHECK(seen.closed == 1);
}

TEST_CASE("faults of a WebSocket") {
  Seen seen;
  TestServer server(socket_routes(seen));
  const auto try_rule = [&](std::string_view rule) {
    server.dispatcher().faults().clear();
    server.add_fault(rule);
    return std::make_unique<SocketClient>(server.port(), "/echo");
  };
  CHECK(try_rule("GET /echo: status 503")->status() == 503);
  CHECK(try_rule("GET /echo: garbage")->status() == 200);
  CHECK(try_rule("GET /echo: cut-after 0")->receive().kind == Kind::Lost);
  auto cut = try_rule("GET /echo: cut-after 2");
  CHECK(word_of(cut->receive()) == "hello");
  cut->send_text("more");
  CHECK(word_of(cut->receive()) == "more");
  CHECK(cut->receive().kind == Kind::Lost);
  auto closed = try_rule("GET /echo: close-after 1 4008 \"too, bad\"");
  CHECK(word_of(closed->receive()) == "hello");
  const auto end = closed->receive();
  CHECK(end.code == 4008);
  CHECK(end.bytes == "too, bad");
  // A reason has at most 123 bytes: the ellipsis takes three.
  for (const auto& [size, reason] : {std::pair(120, std::string(120, 'r')),
                                     {121, std::string(120, 'r') + "…"},
                                     {200, std::string(120, 'r') + "…"}}) {
    const auto told =
        try_rule(fmt::format("GET /echo: close-after 0 4999 {}", std::string(size, 'r')))
            ->receive();
    CHECK(told.kind == Kind::Closed);
    CHECK(told.code == 4999);
    CHECK(told.bytes == reason);
  }
  auto dropped = try_rule("GET /echo: drop-after 2");
  CHECK(word_of(dropped->receive()) == "hello");
  dropped->send_text("one");
  CHECK(word_of(dropped->receive()) == "one");
  dropped->send_text("two");
  while (true) {
    const auto message = dropped->receive();
    if (message.kind == Kind::Text) continue;  // its response may still have been sent
    CHECK(message.kind == Kind::Lost);
    break;
  }
  auto silent = try_rule("GET /echo: stall-after 1");
  CHECK(word_of(silent->receive()) == "hello");
  silent->send_text("anybody?");
  CHECK(silent->receive(100ms).kind == Kind::Nothing);
  const auto begin = std::chrono::steady_clock::now();
  CHECK(word_of(try_rule("GET /echo: slow 80ms")->receive()) == "hello");
  CHECK(std::chrono::steady_clock::now() - begin >= 80ms);
}

TEST_CASE("faults of a WebSocket whose session has said all it has to say") {
  Seen seen;
  TestServer server(socket_routes(seen));
  const auto heard = [&](std::string_view rule, std::string_view say) {
    server.dispatcher().faults().clear();
    server.add_fault(rule);
    SocketClient client(server.port(), "/echo");
    CHECK(client.status() == 101);
    if (!say.empty()) client.send_text(say);
    std::string out;
    for (;;) {
      const auto message = client.receive(1s);
      if (message.kind == Kind::Closed)
        return out + fmt::format("{} {}", message.code, message.bytes);
      if (message.kind == Kind::Lost) return out + "lost";
      if (message.kind == Kind::Nothing) return out + "nothing";
      out += message.bytes + " ";
    }
  };
  CHECK(heard("GET /echo: close-after 3 4008 bad", "much") == "hello 0 1 4008 bad");
  CHECK(heard("GET /echo: cut-after 3", "much") == "hello 0 1 lost");
  CHECK(heard("GET /echo: stall-after 0", "more") == "nothing");
  CHECK(heard("GET /echo: reset-after 0", "") == "lost");
  CHECK(heard("GET /echo: latency 0", "bye twice") == "hello 4001 first");
  // A pause before each message changes none of them.
  CHECK(heard("GET /echo: slow 1ms", "bye twice") == "hello 4001 first");
}

TEST_CASE("a message has at most 32 MB, and what a client does not read at most 64 MB") {
  Seen seen;
  TestServer server(socket_routes(seen));
  SocketClient client(server.port(), "/echo");
  CHECK(word_of(client.receive()) == "hello");
  const std::string most(32U << 20U, 'x');
  client.send_binary(most);
  CHECK((client.receive().bytes == most));
  client.send_text("megabytes: 64");
  for (int i = 0; i < 64; ++i) CHECK(client.receive().bytes.size() == 1U << 20U);
  client.send_binary(most + "x");
  const auto end = client.receive();
  CHECK(end.kind == Kind::Closed);
  CHECK(end.code == 1009);
  SocketClient slow(server.port(), "/echo");
  CHECK(word_of(slow.receive()) == "hello");
  slow.send_text("megabytes: 65");
  auto last = slow.receive();
  while (last.kind == Kind::Binary) last = slow.receive();
  CHECK(last.kind == Kind::Lost);
}

TEST_CASE("a client may close without a code") {
  Seen seen;
  TestServer server(socket_routes(seen));
  test::RawClient client(server.port());
  client.send(test::get_request("/echo",
                                "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                                "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                                "Sec-WebSocket-Version: 13\r\n"));
  CHECK(client.receive_until("hello").ends_with("\x81\x05hello"));
  client.send(std::string_view("\x88\x80\0\0\0\0", 6));  // masked with zeros
  CHECK(client.receive_all().starts_with("\x88"));
  CHECK_FALSE(client.was_reset());
  CHECK(seen.closed == 1);
  CHECK(seen.code == 1005);
}

TEST_CASE("a WebSocket is reset after the bytes of messages that a rule allows") {
  Seen seen;
  TestServer server(socket_routes(seen));
  // "hello" has five bytes: the sixth comes with the next message, which is still sent.
  for (const auto& [rule, messages] :
       {std::pair("GET /echo: reset-after 5", 1), {"GET /echo: reset-after 6", 2}}) {
    CAPTURE(rule);
    server.dispatcher().faults().clear();
    server.add_fault(rule);
    seen.closed = 0;
    test::RawClient client(server.port());
    client.send(test::get_request("/echo",
                                  "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                                  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                                  "Sec-WebSocket-Version: 13\r\n"));
    std::string all = client.receive_until("hello");
    CHECK(all.ends_with("\x81\x05hello"));
    if (messages == 2) {
      client.send(std::string_view("\x81\x81\0\0\0\0x", 7));  // masked with zeros
      CHECK(client.receive_until("x") == "\x81\x01x");
    }
    CHECK(client.receive_all().empty());
    CHECK(client.was_reset());
    while (seen.closed == 0) std::this_thread::sleep_for(1ms);
    CHECK(seen.code == k_close_abnormal);
  }
}

TEST_CASE("a client that has gone is noticed when writing, if nothing is read") {
  Seen seen;
  TestServer server(socket_routes(seen));
  SocketClient client(server.port(), "/echo");
  CHECK(word_of(client.receive()) == "hello");
  client.send_text("deaf");
  CHECK(word_of(client.receive()) == "on and on");
  client.drop();
  while (seen.closed == 0) std::this_thread::sleep_for(1ms);
  CHECK(seen.code == k_close_abnormal);
}

TEST_CASE(
    "a handler that runs on a worker responds from there; the log shows a socket's messages") {
  Seen seen;
  TestServer server(socket_routes(seen));
  test::RawClient http(server.port());
  http.send(test::post_request("/echo", "1"));
  CHECK(http.receive_response().ends_with("\r\n\r\ntrue"));
  SocketClient client(server.port(), "/echo");
  CHECK(word_of(client.receive()) == "hello");
  client.send_binary(std::string(1000, 'a'));
  client.send_text("{\"type\":\"audio.done\"}");
  (void)client.receive();
  (void)client.receive();
  http.send(test::get_request("/_emulator/requests?since=1"));
  const std::string log = http.receive_response();
  CHECK(log.find("\"messages\":2,\"binary_bytes\":1000") != std::string::npos);
  CHECK(log.find(R"("body":"{\"type\":\"audio.done\"}\n")") != std::string::npos);
  CHECK(log.find("hello", log.find(R"("response":")")) != std::string::npos);
}

TEST_CASE(
    "a large body goes to a file, a small one does not, and one that is too large is rejected") {
  Seen seen;
  TestServer server(socket_routes(seen));
  test::RawClient client(server.port());
  client.send(test::post_request("/spool", "small"));
  CHECK(client.receive_response().ends_with("\r\n\r\n5 0     "));
  const std::string large = std::string(70'000'000, 'x') + "last";
  client.send(test::post_request("/spool", large));
  CHECK(client.receive_response().ends_with("\r\n\r\n0 70000004 last"));
  client.send(
      fmt::format("POST /spool HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer "
                  "{}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\nlast\r\n0\r\n\r\n",
                  k_demo_key));
  CHECK(client.receive_response().ends_with("\r\n\r\n0 7 last"));
  client.send(
      fmt::format("POST /spool HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer "
                  "{}\r\nContent-Length: {}\r\n\r\n",
                  k_demo_key, 200U << 20U));
  CHECK(client.receive_response().starts_with("HTTP/1.1 413 "));
}
