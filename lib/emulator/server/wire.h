// One connection as a byte stream, plain or TLS, with the interface that Asio and Beast expect.
// Hides the difference, so that code on top of it is compiled once. Runs on its strand only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/role.hpp>

namespace svc::emulator {

class Wire : public std::enable_shared_from_this<Wire> {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  using Error = boost::system::error_code;
  using executor_type = boost::asio::any_io_executor;
  using Moved = std::function<void(const Error&, std::size_t)>;

  /// The executor of `socket` must be a strand. `tls` is null for a plain connection; otherwise it
  /// must outlive this object.
  Wire(Socket socket, boost::asio::ssl::context* tls);
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  ~Wire() = default;

  [[nodiscard]] executor_type get_executor() noexcept { return m_socket.get_executor(); }

  template <typename Buffers, typename Handler>
  auto async_read_some(const Buffers& buffers, Handler&& handler) {
    return boost::asio::async_initiate<Handler, void(Error, std::size_t)>(
        [this](auto inner, const Buffers& into) {
          this->read(listed<boost::asio::mutable_buffer>(into), this->erased(std::move(inner)));
        },
        handler, buffers);
  }

  template <typename Buffers, typename Handler>
  auto async_write_some(const Buffers& buffers, Handler&& handler) {
    return boost::asio::async_initiate<Handler, void(Error, std::size_t)>(
        [this](auto inner, const Buffers& from) {
          this->write(listed<boost::asio::const_buffer>(from), this->erased(std::move(inner)));
        },
        handler, buffers);
  }

  /// Prepares the connection; for TLS, does the handshake.
  void open(std::function<void(bool ok)> done);

  /// Returns these bytes to readers before further input.
  void unread(std::string bytes) { m_first = std::move(bytes); }

  /// Closes the write side (close_notify, FIN). `open` is true if the peer's side is still open.
  void finish(std::function<void(bool open)> done);

  /// Cancels pending operations, whose callbacks get an error.
  void cancel();
  /// Cancels them and closes the connection.
  void close();
  /// Cancels them and resets the connection (TCP RST).
  void reset();

  [[nodiscard]] bool from_loopback() const { return m_from_loopback; }
  [[nodiscard]] bool is_tls() const { return m_tls.has_value(); }

 private:
  template <typename Buffer, typename Buffers>
  static std::vector<Buffer> listed(const Buffers& buffers) {
    return {boost::asio::buffer_sequence_begin(buffers), boost::asio::buffer_sequence_end(buffers)};
  }
  // Handlers are move-only, but a function must be copyable.
  template <typename Handler>
  Moved erased(Handler handler) {
    return [self = shared_from_this(), inner = std::make_shared<Handler>(std::move(handler))](
               const Error& error, std::size_t size) { (*inner)(error, size); };
  }
  void read(std::vector<boost::asio::mutable_buffer> into, Moved done);
  void write(std::vector<boost::asio::const_buffer> from, Moved done);

  Socket m_socket;
  std::optional<boost::asio::ssl::stream<Socket&>> m_tls{};  ///< on top of m_socket
  std::string m_first{};
  bool m_from_loopback = false;
  bool m_ended = false;  ///< the peer has closed its side
};

// Beast's WebSockets find these by argument-dependent lookup: the owner ends the connection.
inline void teardown(boost::beast::role_type /*role*/, Wire& /*wire*/, Wire::Error& error) {
  error = {};
}
template <typename Handler>
void async_teardown(boost::beast::role_type /*role*/, Wire& wire, Handler&& handler) {
  boost::asio::post(wire.get_executor(),
                    [inner = std::forward<Handler>(handler)]() mutable { inner(Wire::Error{}); });
}
inline void beast_close_socket(Wire& wire) {
  wire.close();
}

}  // namespace svc::emulator
