#include "emulator/server/wire.h"

#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

namespace svc::emulator {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

bool is_loopback(const asio::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).is_loopback();
  }
  return address.is_loopback();
}

}  // namespace

Wire::Wire(Socket socket, asio::ssl::context* tls)
    : m_socket(std::move(socket)),
      m_deadline{asio::steady_timer(m_socket.get_executor())},
      m_delay{asio::steady_timer(m_socket.get_executor())} {
  error_code error;
  const auto peer = m_socket.remote_endpoint(error);
  m_from_loopback = !error && is_loopback(peer.address());
  m_socket.set_option(tcp::no_delay(true), error);
  if (tls != nullptr) m_tls.emplace(m_socket, *tls);
}

void Wire::open(WriteDone done) {
  if (!m_tls) return post([done = std::move(done)] { done(true); });
  m_tls->async_handshake(asio::ssl::stream_base::server,
                         [done = std::move(done)](const error_code& error) { done(!error); });
}

void Wire::read(std::span<char> into, ReadDone done) {
  const auto buffer = asio::buffer(into.data(), into.size());
  auto on_read = [done = std::move(done)](const error_code& error, std::size_t bytes) {
    done(error ? 0 : bytes);
  };
  m_tls ? m_tls->async_read_some(buffer, std::move(on_read))
        : m_socket.async_read_some(buffer, std::move(on_read));
}

void Wire::write(std::string_view bytes, WriteDone done) {
  const auto buffer = asio::buffer(bytes.data(), bytes.size());
  auto on_written = [done = std::move(done)](const error_code& error, std::size_t) {
    done(!error);
  };
  m_tls ? asio::async_write(*m_tls, buffer, std::move(on_written))
        : asio::async_write(m_socket, buffer, std::move(on_written));
}

void Wire::set_timer(Timer which, std::chrono::milliseconds wait, TimerDone done) {
  Slot& used = slot(which);
  // An expired timer whose handler is already queued would still call: the turn tells it is old.
  const auto turn = ++used.turn;
  used.timer.expires_after(wait);
  used.timer.async_wait([&used, turn, done = std::move(done)](const error_code& error) {
    if (!error && turn == used.turn) done();
  });
}

void Wire::cancel_timer(Timer which) {
  Slot& used = slot(which);
  ++used.turn;
  used.timer.cancel();
}

void Wire::finish(WriteDone done) {
  if (m_tls) {
    // Ends when the peer has said goodbye too, which makes further reading needless.
    return m_tls->async_shutdown([done = std::move(done)](const error_code&) { done(false); });
  }
  error_code error;
  m_socket.shutdown(tcp::socket::shutdown_send, error);
  post([done = std::move(done), ok = !error] { done(ok); });
}

void Wire::reset() {
  error_code error;
  m_socket.set_option(asio::socket_base::linger(true, 0), error);
  close();
}

void Wire::close() {
  error_code error;
  m_socket.close(error);
}

void Wire::post(std::function<void()> work) {
  asio::post(m_socket.get_executor(), std::move(work));
}

}  // namespace svc::emulator
