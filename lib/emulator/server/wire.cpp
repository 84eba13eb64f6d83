#include "emulator/server/wire.h"

#include <utility>

namespace svc::emulator {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

bool is_loopback(const asio::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).is_loopback();
  }
  return address.is_loopback();
}

}  // namespace

Wire::Wire(Socket socket, asio::ssl::context* tls) : m_socket(std::move(socket)) {
  Error error;
  const auto peer = m_socket.remote_endpoint(error);
  m_from_loopback = !error && is_loopback(peer.address());
  m_socket.set_option(tcp::no_delay(true), error);
  if (tls != nullptr) m_tls.emplace(m_socket, *tls);
}

void Wire::open(std::function<void(bool)> done) {
  if (!m_tls) return done(true);
  m_tls->async_handshake(asio::ssl::stream_base::server,
                         [done = std::move(done)](const Error& error) { done(!error); });
}

void Wire::read(std::vector<asio::mutable_buffer> into, Moved done) {
  if (!m_first.empty()) {
    const std::size_t size = asio::buffer_copy(into, asio::buffer(m_first));
    m_first.erase(0, size);
    return asio::post(get_executor(), [size, done = std::move(done)] { done({}, size); });
  }
  // Asio may wait forever when reading after the end.
  if (m_ended) {
    return asio::post(get_executor(), [done = std::move(done)] { done(asio::error::eof, 0); });
  }
  auto on_read = [this, done = std::move(done)](const Error& error, std::size_t bytes) {
    m_ended = error && error != asio::error::operation_aborted;
    done(error, bytes);
  };
  m_tls ? m_tls->async_read_some(into, std::move(on_read))
        : m_socket.async_read_some(into, std::move(on_read));
}

void Wire::write(std::vector<asio::const_buffer> from, Moved done) {
  m_tls ? m_tls->async_write_some(from, std::move(done))
        : m_socket.async_write_some(from, std::move(done));
}

void Wire::finish(std::function<void(bool)> done) {
  if (m_tls) {
    // Completes when the peer has closed as well, which makes further reading unnecessary.
    return m_tls->async_shutdown([done = std::move(done)](const Error&) { done(false); });
  }
  Error error;
  m_socket.shutdown(tcp::socket::shutdown_send, error);
  asio::post(get_executor(), [done = std::move(done), open = !error] { done(open); });
}

void Wire::cancel() {
  Error error;
  m_socket.cancel(error);
}

void Wire::close() {
  Error error;
  m_socket.close(error);
}

void Wire::reset() {
  Error error;
  m_socket.set_option(asio::socket_base::linger(true, 0), error);
  close();
}

}  // namespace svc::emulator
