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
