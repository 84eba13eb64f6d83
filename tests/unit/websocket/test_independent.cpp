// The channel with an independent server: Boost.Beast.
#include <atomic>
#include <chrono>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <doctest/doctest.h>

#include "websocket/open_channel.h"
#include "websocket/web_socket.h"

using namespace svc;
using namespace svc::websocket;
namespace asio = boost::asio;
namespace beast = boost::beast;

namespace {

using Stream = beast::websocket::stream<asio::ip::tcp::socket>;

/// Accepts one connection and runs `serve`; records Beast's errors.
class Peer {
 public:
  template <typename Serve>
  explicit Peer(Serve serve) : m_acceptor(m_context, {asio::ip::address_v4::loopback(), 0}) {
    m_thread = std::jthread([this, serve] {
      try {
        Stream stream(m_acceptor.accept());
        stream.read_message_max(64U << 20U);
        stream.accept();
        serve(stream);
      } catch (const beast::system_error& error) {
        m_error = error.code().message();
      }
    });
  }

  [[nodiscard]] std::string url() const {
    return "ws://127.0.0.1:" + std::to_string(m_acceptor.local_endpoint().port()) + "/";
  }
  /// What ended the conversation, once it has ended.
  std::string error() {
    m_thread.join();
    return m_error;
  }

 private:
  asio::io_context m_context{};
  asio::ip::tcp::acceptor m_acceptor;
  std::string m_error{};
  std::jthread m_thread{};
};

std::unique_ptr<WebSocket> open(const Peer& peer) {
  const NeverCanceled nobody;
  auto opened = open_channel({.url = peer.url()}, {}, nobody);
  REQUIRE_MESSAGE(opened.has_value(), (opened ? "" : opened.error().message));
  REQUIRE(opened->channel != nullptr);
  return std::move(opened->channel);
}

Received next(WebSocket& channel) {
  const NeverCanceled nobody;
  auto got = channel.receive(nobody, WebSocket::Clock::now() + std::chrono::seconds(20));
  REQUIRE(got.has_value());
  return *std::move(got);
}

void echo(Stream& stream) {
  while (true) {
    beast::flat_buffer buffer;
    stream.read(buffer);
    stream.text(stream.got_text());
    stream.write(buffer.data());
  }
}

}  // namespace

TEST_CASE("an independent server accepts the messages, and its messages are read") {
  Peer peer(echo);
  const auto channel = open(peer);
  for (const std::size_t size :
       {0UL, 1UL, 125UL, 126UL, 65'535UL, 65'536UL, 1'048'576UL, 1'048'577UL, 16'000'000UL}) {
    CAPTURE(size);
    const bool binary = size % 2 == 1;
    CHECK(channel->send({.binary = binary, .data = std::string(size, 'x')}));
    const Received got = next(*channel);
    CHECK(got.what == (binary ? ReceivedKind::Binary : ReceivedKind::Text));
    CHECK(got.data == std::string(size, 'x'));
  }
  CHECK(channel->send({.data = "Zürich 東京 😀"}));
  CHECK(next(*channel).data == "Zürich 東京 😀");
  channel->close(1000, "done");
  const Received end = next(*channel);
  CHECK(end.what == ReceivedKind::Closed);
  CHECK(end.close.code == 1000);
  CHECK(peer.error() == "The WebSocket stream was gracefully closed at both endpoints");
}

TEST_CASE("an independent server sends small frames with pings between them, and closes") {
  std::atomic<int> pongs = 0;
  Peer peer([&pongs](Stream& stream) {
    stream.auto_fragment(true);
    stream.write_buffer_bytes(64);
    stream.control_callback([&pongs](beast::websocket::frame_type kind, beast::string_view) {
      if (kind == beast::websocket::frame_type::pong) ++pongs;
    });
    stream.text(true);
    for (int i = 0; i < 50; ++i) {
      stream.ping("are you there");
      stream.write(asio::buffer(std::string(10'000, static_cast<char>('a' + i % 26))));
    }
    beast::flat_buffer buffer;
    stream.read(buffer);
    stream.close({beast::websocket::close_code::try_again_later, "not now"});
  });
  const auto channel = open(peer);
  for (int i = 0; i < 50; ++i) {
    CHECK(next(*channel).data == std::string(10'000, static_cast<char>('a' + i % 26)));
  }
  CHECK(channel->send({.data = "go on"}));
  const Received end = next(*channel);
  CHECK(end.what == ReceivedKind::Closed);
  CHECK(end.close.code == 1013);
  CHECK(end.close.reason == "not now");
  CHECK(close_error(end.close).fault == Fault::Limited);
  CHECK(peer.error().empty());
  CHECK(pongs > 0);
}
