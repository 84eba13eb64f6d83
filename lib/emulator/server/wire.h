// One connection as bytes in and out, plain or TLS. Everything happens on the connection's own
// strand: no two calls or callbacks of one Wire run at the same time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>

namespace svc::emulator {

class Wire {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  using ReadDone = std::function<void(std::size_t bytes)>;  ///< 0: the peer ended, or is gone
  using WriteDone = std::function<void(bool ok)>;
  using TimerDone = std::function<void()>;
  enum class Timer : std::uint8_t { Deadline, Delay };

  /// `socket` has a strand as its executor. `tls` is null for a plain connection, else it must
  /// outlive this. Every callback must keep this Wire alive.
  Wire(Socket socket, boost::asio::ssl::context* tls);
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  ~Wire() = default;

  /// Makes the connection ready; for TLS, the handshake.
  void open(WriteDone done);

  /// Reads what there is, at least one byte. One read at a time.
  void read(std::span<char> into, ReadDone done);

  /// Writes all of `bytes`, which must stay until `done`. One write at a time.
  void write(std::string_view bytes, WriteDone done);

  /// Calls `done` once after `wait`; replaces what the timer had. Never called after cancel().
  void set_timer(Timer timer, std::chrono::milliseconds wait, TimerDone done);
  void cancel_timer(Timer timer);

  /// Ends our direction (close_notify, FIN). The peer's stays open.
  void finish(WriteDone done);

  /// Ends the connection with a TCP reset.
  void reset();

  /// Ends the connection. What is under way is called back as failed; timers are not.
  void close();

  /// Runs `work` on the strand.
  void post(std::function<void()> work);

  [[nodiscard]] boost::asio::any_io_executor executor() { return m_socket.get_executor(); }
  [[nodiscard]] bool from_loopback() const { return m_from_loopback; }
  [[nodiscard]] bool is_tls() const { return m_tls.has_value(); }

 private:
  struct Slot {
    boost::asio::steady_timer timer;
    std::uint64_t turn = 0;
  };
  [[nodiscard]] Slot& slot(Timer timer) { return timer == Timer::Deadline ? m_deadline : m_delay; }

  Socket m_socket;
  std::optional<boost::asio::ssl::stream<Socket&>> m_tls{};  ///< over m_socket
  Slot m_deadline;
  Slot m_delay;
  bool m_from_loopback = false;
};

}  // namespace svc::emulator
