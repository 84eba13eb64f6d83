// A channel with a scripted server: rows 55 to 64 of the fault list that need a socket and a clock.
#include <array>
#include <chrono>
#include <map>
#include <span>
#include <thread>

#include <doctest/doctest.h>

#include "support/fault_server.h"
#include "websocket/open_channel.h"
#include "websocket/web_socket.h"

using namespace svc;
using namespace svc::websocket;
using namespace std::chrono_literals;
using svc::test::FaultServer;

namespace {

const NeverCanceled k_no_stop;

struct World {
  explicit World(std::string_view script, ChannelOptions given = {},
                 test::ServerOptions server_options = {})
      : options(std::move(given)) {
    auto started = FaultServer::start(test::script(script), server_options);
    REQUIRE(started.has_value());
    server = std::move(*started);
    options.transport.ca_file = server->ca_file();
  }

  Result<OpenResult> try_open(std::string bearer = {}) {
    return open_channel({.url = server->url("/v1/socket?x=1"), .bearer = std::move(bearer)},
                        options, k_no_stop);
  }
  WebSocket& open() {
    auto opened = try_open();
    REQUIRE_MESSAGE(opened.has_value(), (opened ? "" : opened.error().message));
    REQUIRE(opened->channel != nullptr);
    channel = std::move(opened->channel);
    return *channel;
  }

  /// "text A", "closed 1000 bye", "nothing": the next event within two seconds.
  std::string next(std::chrono::milliseconds time = 2s) {
    auto got = channel->receive(k_no_stop, WebSocket::Clock::now() + time);
    REQUIRE(got.has_value());
    switch (got->what) {
      case ReceivedKind::Text:
        return "text " + got->data;
      case ReceivedKind::Binary:
        return "binary " + got->data;
      case ReceivedKind::Closed:
        last_close = got->close;
        return (got->close.closed_locally ? "broken " : "closed ") +
               std::to_string(got->close.code) +
               (got->close.reason.empty() || got->close.closed_locally ? ""
                                                                       : " " + got->close.reason);
      case ReceivedKind::Woken:
        return "woken";
      case ReceivedKind::Ready:
        return "ready";
      case ReceivedKind::Nothing:
        return "nothing";
    }
    return {};
  }

  /// The server's record of frames after the handshake.
  std::string heard() {
    channel.reset();
    (void)server->wait_until_closed(2s);
    const auto requests = server->requests();
    return requests.empty() ? "" : requests[0].body;
  }

  ChannelOptions options;
  std::unique_ptr<FaultServer> server;
  std::unique_ptr<WebSocket> channel{};
  Close last_close{};
};

}  // namespace

TEST_CASE("a conversation, closed by either side") {
  World world(
      "upgrade\nframe text hello\nread frame\nframe binary \\x00\\x01\nread frames\nframe "
      "close 1000\nclose\n");
  WebSocket& channel = world.open();
  CHECK(world.next() == "text hello");
  CHECK(channel.send({.data = "and you"}));
  CHECK(world.next() == std::string("binary \0\1", 9));
  channel.close(1000, "bye");
  CHECK_FALSE(channel.send({.data = "too late"}));
  CHECK(world.next() == "closed 1000");
  CHECK(world.next() == "closed 1000");  // and remains closed
  CHECK(world.heard() == "text and you\nclose 1000 bye\n");
  CHECK(world.server->requests()[0].target == "/v1/socket?x=1");

  World other("upgrade\nframe close 1013 later\nread frames\nclose\n");
  other.open();
  CHECK(other.next() == "closed 1013 later");
  CHECK(other.heard() == "close 1013 \n");
}

TEST_CASE("the first frames arrive together with the handshake response") {
  World world(
      "read head\nsend HTTP/1.1 101 Ok\\r\\nUpgrade: websocket\\r\\nConnection: "
      "Upgrade\\r\\nSec-WebSocket-Accept: ${ACCEPT}\\r\\n\\r\\n\\x81\\x02hi\\x81\\x03you\n"
      "hang\n");
  world.open();
  CHECK(world.next() == "text hi");
  CHECK(world.next() == "text you");
  CHECK(world.next(20ms) == "nothing");
}

TEST_CASE("over TLS, but not over an untrusted connection") {
  World world("upgrade\necho\nclose\n", {}, {.tls = test::Tls::Good});
  WebSocket& channel = world.open();
  const std::string large(300'000, 'x');
  CHECK(channel.send({.data = large}));
  CHECK(world.next() == "text " + large);
  channel.close();
  CHECK(world.next() == "closed 1000");

  for (const test::Tls bad : {test::Tls::WrongHost, test::Tls::Expired, test::Tls::Tls11}) {
    World refused("upgrade\nhang\n", {}, {.tls = bad});
    const auto opened = refused.try_open("a-secret-key");
    REQUIRE_FALSE(opened.has_value());
    CHECK(opened.error().fault == Fault::Network);
    CHECK(refused.server->requests().empty());
  }
}

TEST_CASE("rows 56 and 57: an invalid response, and a refusal") {
  World wrong(
      "read head\nsend HTTP/1.1 101 Ok\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n"
      "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\\r\\n\\r\\n\nhang\n");
  auto opened = wrong.try_open();
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().fault == Fault::Network);
  World refused("reply 401 application/json {\"error\":\"Incorrect API key\"}\n");
  opened = refused.try_open("key");
  REQUIRE(opened.has_value());
  CHECK(opened->channel == nullptr);
  CHECK(opened->head.status == 401);
  CHECK(opened->refusal == "{\"error\":\"Incorrect API key\"}");
  World gone("read head\nclose\n");
  opened = gone.try_open();
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().fault == Fault::Network);
}

TEST_CASE("row 58: a handshake that never ends") {
  ChannelOptions options;
  options.handshake = 200ms;
  World world("read head\nsend HTTP/1.1 101 Ok\\r\\nX: y\\r\\n\nhang\n", options);
  const auto opened = world.try_open();
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().fault == Fault::Timeout);
  CHECK(opened.error().message == "WebSocket handshake timed out after 200 ms");
  World endless(
      "read head\nsend HTTP/1.1 101 Ok\\r\\n\nrepeat 100000 X: yyyyyyyyyyyyyyyyyyyy\\r\\n\n"
      "hang\n");
  const auto capped = endless.try_open();
  REQUIRE_FALSE(capped.has_value());
  CHECK(capped.error().fault == Fault::Network);
}

TEST_CASE("the trace of a handshake shows both heads, without the key") {
  std::string lines;
  ChannelOptions options;
  options.transport.trace = [&](std::string_view line) { (lines += line) += '\n'; };
  World world("upgrade\nhang\n", options);
  REQUIRE(world.try_open("a-secret-key").has_value());
  CAPTURE(lines);
  for (const char* line : {"> GET /v1/socket?x=1 HTTP/1.1\n", "> Authorization: ***\n",
                           "> Sec-WebSocket-Version: 13\n", "< HTTP/1.1 101\n",
                           "< Upgrade: websocket\n", "< Sec-WebSocket-Accept: "}) {
    CAPTURE(line);
    CHECK(lines.find(line) != std::string::npos);
  }
  CHECK(lines.find("a-secret-key") == std::string::npos);
}

TEST_CASE("row 59: sixteen megabytes, many fragments, and too much") {
  World large("upgrade\necho\nclose\n");
  WebSocket& channel = large.open();
  const std::string payload(16'000'000, 'x');
  CHECK(channel.send({.binary = true, .data = payload}));
  CHECK_FALSE(channel.send({.data = "the queue is full"}));
  const std::string back = large.next(20s);
  CHECK(back.size() == 7 + payload.size());
  CHECK(back.starts_with("binary x"));

  const std::string piece(64, 'x');
  World many("upgrade\nframe more text\nrepeat 65536 \\x00\\x40" + piece +
             "\nframe continuation\nhang\n");
  many.open();
  CHECK(many.next(10s).size() == 5 + 64UL * 65'536);

  World huge("upgrade\nframe declares 9223372036854775807 binary\nread frames\nclose\n");
  huge.open();
  CHECK(huge.next() == "broken 1009");
  CHECK(huge.heard().starts_with("close 1009 "));
}

TEST_CASE("row 60: protocol violations") {
  for (const char* bad : {"masked text a", "rsv1 text a", "3 a", "close 1005"}) {
    CAPTURE(bad);
    World world("upgrade\nframe " + std::string(bad) + "\nread frames\nclose\n");
    world.open();
    CHECK(world.next() == "broken 1002");
    CHECK(close_error(world.last_close).fault == Fault::Network);
    CHECK(world.heard().starts_with("close 1002 "));
  }
}

TEST_CASE("row 61: a peer that disappears silently") {
  ChannelOptions options;
  options.ping_interval = 50ms;
  options.idle_timeout = 150ms;
  World dead("upgrade\nstall\n", options);
  dead.open();
  const auto begin = WebSocket::Clock::now();
  CHECK(dead.next(5s).starts_with("closed 1006 no traffic"));
  CHECK(WebSocket::Clock::now() - begin >= 140ms);
  CHECK(close_error(dead.last_close).fault == Fault::Network);

  World alive(
      "upgrade\nread frame\nframe pong\nread frame\nframe pong\nread frame\nframe text "
      "still here\nhang\n",
      options);
  alive.open();
  CHECK(alive.next(5s) == "text still here");
  CHECK(alive.heard().starts_with("ping\nping\nping\n"));
}

TEST_CASE("time in which the program did not read is not the peer's silence") {
  ChannelOptions options;
  options.ping_interval = 30ms;
  options.idle_timeout = 60ms;
  World world("upgrade\nread frame\nframe pong\nsleep 10ms\nframe text here\nhang\n", options);
  world.open();
  std::this_thread::sleep_for(200ms);
  CHECK(world.next() == "text here");
}

TEST_CASE("row 62: close codes and their meaning") {
  const auto fault_of = [](std::uint16_t code) {
    return close_error({.code = code, .reason = "why\x1b[2J"}).fault;
  };
  CHECK(fault_of(1008) == Fault::Service);
  CHECK(fault_of(1011) == Fault::Service);
  CHECK(fault_of(1013) == Fault::Limited);
  CHECK(fault_of(1006) == Fault::Network);
  CHECK(fault_of(3000) == Fault::Auth);
  CHECK(fault_of(4404) == Fault::NotFound);
  for (const std::uint16_t code : std::initializer_list<std::uint16_t>{1012, 1014, 3001, 4000}) {
    CHECK(fault_of(code) == Fault::Service);
  }
  for (const std::uint16_t code : std::initializer_list<std::uint16_t>{3003, 4401, 4403})
    CHECK(fault_of(code) == Fault::Auth);
  for (const std::uint16_t code : std::initializer_list<std::uint16_t>{3008, 4408})
    CHECK(fault_of(code) == Fault::Timeout);
  CHECK(fault_of(4429) == Fault::Limited);
  for (const std::uint16_t code : std::initializer_list<std::uint16_t>{1000, 1001, 2999})
    CHECK(fault_of(code) == Fault::Network);
  CHECK(close_error({.code = 1006, .reason = "gone"}).message == "the connection was lost: gone");
  CHECK(close_error({.code = 1006}).message == "the connection was lost");
  CHECK(close_error({.code = 1006}).hint == "Try again.");
  CHECK(close_error({.code = 4000}).message == "the service closed the connection (4000)");
  const Error local = close_error({.code = 1002, .reason = "why", .closed_locally = true});
  CHECK(local.fault == Fault::Network);
  CHECK(local.message == "the peer violated the WebSocket protocol (1002): why");
  const std::string longest(400, 'x');
  CHECK(close_error({.code = 4000, .reason = longest}).message.ends_with(": " + longest));
  CHECK(close_error({.code = 4000, .reason = longest + "y"}).message.ends_with(longest + "…"));
  CHECK(fault_of(4999) == Fault::Service);
  CHECK(close_error({.code = 1008, .reason = "why\x1b[2J"}).message.find('\x1b') ==
        std::string::npos);
}

TEST_CASE("a connection that breaks, with and without a close frame") {
  World cut("upgrade\nframe text last\ncut\n");
  cut.open();
  CHECK(cut.next() == "text last");
  CHECK(cut.next().starts_with("closed 1006 "));
  World reset("upgrade\nread frame\nreset\n");
  WebSocket& channel = reset.open();
  CHECK(channel.send({.data = "x"}));
  CHECK(reset.next().starts_with("closed 1006 "));
  CHECK_FALSE(channel.send({.data = "x"}));
  World half("upgrade\nframe more text begun\ncut\n");
  half.open();
  CHECK(half.next().starts_with("closed 1006 "));
}

TEST_CASE("row 63: a peer that ignores the close") {
  ChannelOptions options;
  options.close_timeout = 200ms;
  World world("upgrade\nread frames\nsleep 60s\n", options);
  WebSocket& channel = world.open();
  channel.close();
  const auto begin = WebSocket::Clock::now();
  CHECK(world.next(5s) == "broken 1000");
  CHECK(WebSocket::Clock::now() - begin < 2s);
}

TEST_CASE("row 64: a flood of pings blocks nothing") {
  World world("upgrade\nrepeat 300000 \\x89\\x01p\nread frame\nframe text end\nhang\n");
  WebSocket& channel = world.open();
  CHECK(channel.send({.data = "amid the flood"}));
  CHECK(world.next(20s) == "text end");
  const std::string heard = world.heard();
  // One pong for each read of the flood, not for each ping.
  std::size_t pongs = 0;
  for (std::size_t at = heard.find("pong"); at != std::string::npos;
       at = heard.find("pong", at + 1))
    ++pongs;
  CHECK(pongs < 30'000);
}

TEST_CASE("a full queue refuses, and accepts again once the peer reads") {
  ChannelOptions options;
  options.max_queued = 100'000;
  World world("upgrade\nsleep 300ms\nread frames\nframe close 1000\nclose\n", options);
  WebSocket& channel = world.open();
  std::size_t taken = 0;
  const std::string piece(50'000, 'x');
  for (int i = 0; i < 10'000 && channel.send({.data = piece}); ++i) {
    ++taken;
    (void)channel.receive(k_no_stop, WebSocket::Clock::now());
  }
  CHECK(taken < 10'000);
  CHECK(channel.queued() >= 50'000);
  CHECK(channel.queued() <= options.max_queued);
  CHECK(world.next(600ms) == "nothing");
  CHECK(channel.queued() == 0);
  CHECK(channel.send({.data = "again"}));
  channel.close();
  CHECK(world.next() == "closed 1000");
}

TEST_CASE("many small messages are sent at once, although the peer is silent") {
  World world("upgrade\nread frames\n");
  WebSocket& channel = world.open();
  for (int i = 0; i < 200; ++i) REQUIRE(channel.send({.data = "x"}));
  CHECK(world.next(300ms) == "nothing");
  CHECK(channel.queued() == 0);
}

TEST_CASE("woken, ready, canceled") {
  World world("upgrade\nhang\n");
  WebSocket& channel = world.open();
  channel.wake();
  CHECK(world.next() == "woken");
  int pipe_ends[2];
  REQUIRE(::pipe(pipe_ends) == 0);
  REQUIRE(::write(pipe_ends[1], "x", 1) == 1);
  const auto got =
      channel.receive(k_no_stop, WebSocket::Clock::now() + std::chrono::seconds(2), pipe_ends[0]);
  REQUIRE(got.has_value());
  CHECK(got->what == ReceivedKind::Ready);
  // One wake-up is enough for several.
  const std::array several = {-1, pipe_ends[0]};
  const auto one = channel.receive(k_no_stop, WebSocket::Clock::now() + std::chrono::seconds(2),
                                   std::span<const int>(several));
  REQUIRE(one.has_value());
  CHECK(one->what == ReceivedKind::Ready);
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
  struct Asked final : CancelToken {
    [[nodiscard]] std::optional<Fault> requested() const noexcept override {
      return Fault::Interrupted;
    }
    [[nodiscard]] int wake_fd() const noexcept override { return -1; }
  };
  const auto stopped = channel.receive(Asked{});
  REQUIRE_FALSE(stopped.has_value());
  CHECK(stopped.error().fault == Fault::Interrupted);
}

TEST_CASE("several threads submit messages, one thread sends") {
  World world("upgrade\necho\nclose\n");
  WebSocket& channel = world.open();
  constexpr int k_threads = 4;
  constexpr int k_each = 500;
  std::vector<std::jthread> senders;
  for (int i = 0; i < k_threads; ++i) {
    senders.emplace_back([&channel, i] {
      for (int n = 0; n < k_each; ++n) {
        while (!channel.send({.data = std::to_string(i) + " " + std::to_string(n)})) {
          std::this_thread::yield();
        }
        if (n % 100 == 0) channel.wake();
      }
    });
  }
  std::vector<int> next(k_threads, 0);
  int arrived = 0;
  while (arrived < k_threads * k_each) {
    const auto got = channel.receive(k_no_stop, WebSocket::Clock::now() + 10s);
    REQUIRE(got.has_value());
    if (got->what == ReceivedKind::Woken) continue;
    REQUIRE(got->what == ReceivedKind::Text);
    const auto from = static_cast<std::size_t>(got->data[0] - '0');
    // In the order in which each thread submitted them.
    CHECK(got->data == std::to_string(from) + " " + std::to_string(next[from]++));
    ++arrived;
  }
  senders.clear();
  channel.close();
  // The last wake-up may come after the last message.
  std::string end = world.next();
  while (end == "woken") end = world.next();
  CHECK(end == "closed 1000");
}

TEST_CASE("each close code of a peer is the fault of what it means") {
  const auto fault_of = [](int code) {
    return close_error({.code = static_cast<std::uint16_t>(code)}).fault;
  };
  const std::map<int, Fault> known = {
      {1008, Fault::Service}, {1011, Fault::Service},  {1012, Fault::Service},
      {1013, Fault::Limited}, {1014, Fault::Service},  {3000, Fault::Auth},
      {3003, Fault::Auth},    {3008, Fault::Timeout},  {4401, Fault::Auth},
      {4403, Fault::Auth},    {4404, Fault::NotFound}, {4408, Fault::Timeout},
      {4429, Fault::Limited}};
  for (int code = 1'000; code < 5'000; ++code) {
    CAPTURE(code);
    const auto found = known.find(code);
    const Fault other = code < 3'000 ? Fault::Network : Fault::Service;
    CHECK(fault_of(code) == (found == known.end() ? other : found->second));
  }
  CHECK(close_error({.code = 1011, .closed_locally = true}).fault == Fault::Network);
}
