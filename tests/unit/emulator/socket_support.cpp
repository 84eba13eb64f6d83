#include "unit/emulator/socket_support.h"

#include <optional>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/state/state.h"

namespace svc::test {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace ws = boost::beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::seconds k_patience{10};

}  // namespace

std::vector<Header> with_demo_key() {
  return {{"Authorization", fmt::format("Bearer {}", emulator::k_demo_key)}};
}

struct SocketClient::Impl {
  asio::io_context context{1};
  ws::stream<tcp::socket, false> stream{context};
  ws::response_type response{};
  beast::flat_buffer in{};
  std::optional<error_code> read_end{};  ///< of a started read
  bool reading = false;
  bool open = false;

  // Runs started operations until `done` is set.
  bool run_until(const bool& done, std::chrono::milliseconds wait = k_patience) {
    const auto end = std::chrono::steady_clock::now() + wait;
    while (!done && std::chrono::steady_clock::now() < end) {
      context.restart();
      if (context.run_one_until(end) == 0 && context.stopped()) break;
    }
    return done;
  }

  void send(std::string_view message, bool is_text) {
    stream.text(is_text);
    bool done = false;
    stream.async_write(asio::buffer(message.data(), message.size()),
                       [&](error_code, std::size_t) { done = true; });
    REQUIRE(run_until(done));
  }
};

SocketClient::SocketClient(std::uint16_t port, const std::string& target,
                           const std::vector<Header>& headers)
    : m_impl(std::make_unique<Impl>()) {
  auto& stream = m_impl->stream;
  stream.next_layer().connect(tcp::endpoint(asio::ip::address_v4::loopback(), port));
  stream.read_message_max(64U << 20U);
  stream.set_option(ws::stream_base::decorator([&](ws::request_type& request) {
    for (const Header& header : headers) request.insert(header.name, header.value);
  }));
  bool done = false;
  stream.async_handshake(m_impl->response, "localhost", target, [&](const error_code& error) {
    m_impl->open = !error;
    done = true;
  });
  REQUIRE(m_impl->run_until(done));
}

SocketClient::~SocketClient() {
  drop();
  m_impl->context.restart();
  m_impl->context.run_for(std::chrono::seconds(1));  // started operations hold references
}

bool SocketClient::is_open() const {
  return m_impl->open;
}
int SocketClient::status() const {
  return static_cast<int>(m_impl->response.result_int());
}
std::string SocketClient::body() const {
  return m_impl->response.body();
}
std::string SocketClient::header(std::string_view name) const {
  const auto value = m_impl->response[boost::beast::string_view(name.data(), name.size())];
  return {value.data(), value.size()};
}

void SocketClient::send_text(std::string_view message) {
  m_impl->send(message, true);
}
void SocketClient::send_binary(std::string_view message) {
  m_impl->send(message, false);
}

void SocketClient::ping() {
  bool done = false;
  m_impl->stream.async_ping("hello", [&](error_code) { done = true; });
  REQUIRE(m_impl->run_until(done));
}

void SocketClient::close() {
  bool done = false;
  m_impl->stream.async_close(ws::close_code::normal, [&](error_code) { done = true; });
  REQUIRE(m_impl->run_until(done));
}

void SocketClient::drop() {
  error_code ignored;
  m_impl->stream.next_layer().close(ignored);
}

SocketClient::Message SocketClient::receive(std::chrono::milliseconds wait) {
  Impl& impl = *m_impl;
  if (!impl.reading) {
    impl.reading = true;
    impl.read_end.reset();
    impl.stream.async_read(
        impl.in, [&impl](const error_code& error, std::size_t) { impl.read_end = error; });
  }
  const auto end = std::chrono::steady_clock::now() + wait;
  while (!impl.read_end && std::chrono::steady_clock::now() < end) {
    impl.context.restart();
    impl.context.run_one_until(end);
  }
  if (!impl.read_end) return {};
  impl.reading = false;
  if (*impl.read_end == ws::error::closed) {
    const auto& reason = impl.stream.reason();
    return {Message::Kind::Closed, reason.reason.c_str(), reason.code};
  }
  if (*impl.read_end) return {Message::Kind::Lost};
  Message message{impl.stream.got_text() ? Message::Kind::Text : Message::Kind::Binary};
  message.bytes.assign(static_cast<const char*>(impl.in.data().data()), impl.in.size());
  impl.in.consume(impl.in.size());
  return message;
}

nlohmann::json SocketClient::receive_json() {
  const Message message = receive();
  REQUIRE_MESSAGE(message.kind == Message::Kind::Text, message.bytes);
  return nlohmann::json::parse(message.bytes);
}

}  // namespace svc::test
