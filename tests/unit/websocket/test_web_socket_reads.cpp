// How often a channel reads its connection: a socket pair, without a server.
#include <array>
#include <chrono>
#include <memory>
#include <span>
#include <string_view>

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "websocket/web_socket.h"

using namespace svc;
using namespace svc::websocket;
using namespace std::chrono_literals;

TEST_CASE("a connection is read only when it may have data, not at each turn") {
  class Counted final : public http::Connection {
   public:
    Counted(int fd, int& reads) : m_fd(fd), m_reads(reads) {}
    Result<std::optional<std::size_t>> read(std::span<char> into) override {
      ++m_reads;
      const ssize_t count = ::recv(m_fd, into.data(), into.size(), MSG_DONTWAIT);
      return std::optional<std::size_t>(count < 0 ? 0 : static_cast<std::size_t>(count));
    }
    Result<std::size_t> write(std::string_view bytes) override { return bytes.size(); }
    [[nodiscard]] int descriptor() const noexcept override { return m_fd; }

   private:
    int m_fd;
    int& m_reads;
  };
  const NeverCanceled nobody;
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
  const FileDescriptor near(ends[0]);
  const FileDescriptor far(ends[1]);
  int reads = 0;
  WebSocket channel(std::make_unique<Counted>(near.get(), reads), {}, {});
  for (int turn = 0; turn < 20; ++turn) {
    CHECK(channel.receive(nobody, WebSocket::Clock::now() + 1ms)->what == ReceivedKind::Nothing);
  }
  CHECK(reads == 1);
  const std::string_view frames =
      "\x81\x01"
      "a"
      "\x81\x01"
      "b";
  REQUIRE(::write(far.get(), frames.data(), frames.size()) == 6);
  CHECK(channel.receive(nobody)->data == "a");
  CHECK(channel.receive(nobody)->data == "b");
  CHECK(channel.receive(nobody, WebSocket::Clock::now() + 1ms)->what == ReceivedKind::Nothing);
  CHECK(reads <= 3);
}

namespace {

/// A connection that takes no bytes, or none any more, and never has any.
class Silent final : public http::Connection {
 public:
  explicit Silent(bool broken) : m_broken(broken) {}
  Result<std::optional<std::size_t>> read(std::span<char>) override {
    return std::optional<std::size_t>(0);
  }
  Result<std::size_t> write(std::string_view bytes) override {
    if (m_broken) return Error{Fault::Network, "lost"};
    return bytes.size();
  }
  [[nodiscard]] int descriptor() const noexcept override { return -1; }

 private:
  bool m_broken;
};

}  // namespace

TEST_CASE("how many bytes and messages may wait to be sent") {
  const auto taken = [](std::size_t most, std::size_t size) {
    WebSocket channel(std::make_unique<Silent>(false), {.max_queued = most}, {});
    int count = 0;
    while (count < 100 && channel.send({.data = std::string(size, 'x')})) ++count;
    CHECK(channel.queued() == static_cast<std::size_t>(count) * size);
    return count;
  };
  CHECK(taken(640, 320) == 2);
  CHECK(taken(639, 320) == 1);
  CHECK(taken(639, 640) == 1);  // if there is nothing else
  // One message for each 64 bytes.
  CHECK(taken(640, 1) == 10);
  CHECK(taken(639, 1) == 9);
}

TEST_CASE("of two reasons to close, the first is told, after what was sent before") {
  WebSocket channel(std::make_unique<Silent>(false), {.close_timeout = 20ms}, {});
  CHECK(channel.send({.data = "x"}));
  channel.close(4000, "first");
  channel.close(4001, "second");
  CHECK(channel.queued() == 1);
  const NeverCanceled nobody;
  const auto end = channel.receive(nobody);
  REQUIRE(end.has_value());
  CHECK(end->what == ReceivedKind::Closed);
  CHECK(end->close.code == 4000);
  CHECK(end->close.closed_locally);
  CHECK(end->close.reason == "the peer did not respond to the close frame");
  CHECK(channel.queued() == 0);
}

TEST_CASE("a broken connection ends in time, although its receiver holds it again and again") {
  const NeverCanceled nobody;
  WebSocket channel(std::make_unique<Silent>(true), {.ping_interval = 20ms, .idle_timeout = 40ms},
                    {});
  CHECK(channel.send({.data = "x"}));
  const auto until = WebSocket::Clock::now() + 5s;
  auto what = ReceivedKind::Nothing;
  while (what == ReceivedKind::Nothing && WebSocket::Clock::now() < until) {
    channel.hold(true);
    const auto got = channel.receive(nobody, WebSocket::Clock::now() + 5ms);
    REQUIRE(got.has_value());
    what = got->what;
  }
  CHECK(what == ReceivedKind::Closed);
}

TEST_CASE("while it is held, silence does not end it") {
  const NeverCanceled nobody;
  WebSocket channel(std::make_unique<Silent>(false), {.ping_interval = 20ms, .idle_timeout = 40ms},
                    {});
  channel.hold(true);
  CHECK(channel.receive(nobody, WebSocket::Clock::now() + 150ms)->what == ReceivedKind::Nothing);
  // Then it begins anew, once.
  channel.hold(false);
  const auto begin = WebSocket::Clock::now();
  ReceivedKind what = ReceivedKind::Nothing;
  while (what == ReceivedKind::Nothing && WebSocket::Clock::now() < begin + 5s) {
    what = channel.receive(nobody, WebSocket::Clock::now() + 5ms)->what;
    channel.hold(false);
  }
  CHECK(what == ReceivedKind::Closed);
  CHECK(WebSocket::Clock::now() - begin >= 39ms);
}
