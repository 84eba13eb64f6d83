// A connection: the byte stream, HTTP requests and responses on it, and the WebSocket that may
// take over, all with injected faults.
#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/role.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "emulator/handler/socket.h"
#include "emulator/server/dispatch.h"
#include "emulator/server/server.h"

namespace svc::emulator {

class Wire : public std::enable_shared_from_this<Wire> {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  using Error = boost::system::error_code;
  using executor_type = boost::asio::any_io_executor;
  using Moved = std::function<void(const Error&, std::size_t)>;

  /// The executor of `socket` must be a strand. `tls` (null: plain) must outlive this object.
  Wire(Socket socket, boost::asio::ssl::context* tls);

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
  void cancel() {
    Error error;
    m_socket.cancel(error);
  }
  /// Cancels them and closes the connection.
  void close() {
    Error error;
    m_socket.close(error);
  }
  /// Lets close() reset the connection (TCP RST).
  void reset_at_close() {
    Error error;
    m_socket.set_option(boost::asio::socket_base::linger(true, 0), error);
  }

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

// Serializes the head of a response.

/// How a response is sent.
struct ResponseMode {
  bool http_10 = false;    ///< no chunked encoding: a stream ends with the connection
  bool keep_alive = true;  ///< whether both the client and the server want it
  std::int64_t now_s = 0;  ///< the emulator's clock, Unix seconds
};

[[nodiscard]] std::string serialize_head(const Response& response, const ResponseMode& mode);

/// 1xx, 204 and 304.
[[nodiscard]] constexpr bool has_no_body(int status) {
  return status < 200 || status == 204 || status == 304;
}

// One WebSocket connection over a Wire, with injected faults. Its .cpp contains the only instance
// of Beast's stream, which plain and TLS connections share.

/// Called for each received message.
using MessageLog = std::function<void(sv message, bool is_text)>;

class SocketLink final : public SocketPeer, public std::enable_shared_from_this<SocketLink> {
 public:
  enum class End : std::uint8_t {
    Closed,  ///< both sides have closed, or the peer is gone
    Broken,  ///< the connection must end at once
  };
  struct Parts {
    std::shared_ptr<Wire> wire;  ///< the handshake was already read from it
    SocketOffer offer;
    FaultPlan plan;
    boost::asio::thread_pool& workers;  ///< must outlive the link
    MessageLog log;
    std::function<void(const std::string&)> sent;  ///< called for each text message
    std::function<void(End)> done;                 ///< called once, when the session has ended
  };
  /// Must run on the wire's strand.
  explicit SocketLink(Parts parts)
      : m_wire(std::move(parts.wire)),
        m_stream(*m_wire),
        m_offer(std::move(parts.offer)),
        m_session(std::move(m_offer.session)),
        m_plan(std::move(parts.plan)),
        m_workers(parts.workers),
        m_log(std::move(parts.log)),
        m_log_sent(std::move(parts.sent)),
        m_done(std::move(parts.done)) {}

  /// Responds to the handshake and starts the session.
  void start();
  /// The server is stopping: closes with 1001.
  void shut_down();
  /// The wire was closed: ends the session.
  void abandon() { finish(End::Broken, k_close_abnormal, ""); }

  void send_text(std::string message) override { send({std::move(message), true}); }
  void send_binary(std::string message) override { send({std::move(message), false}); }
  [[nodiscard]] std::size_t unsent() const override { return m_unsent; }
  void close(std::uint16_t code, sv reason) override;
  void pause_reading() override { m_paused = true; }
  void resume_reading() override {
    m_paused = false;
    read();
  }
  TimerId start_timer(std::chrono::milliseconds wait, std::function<void()> done) override;
  void cancel_timer(TimerId timer) override { m_timers.erase(timer); }
  void post(std::function<void()> work) override;
  void run_blocking(std::function<void()> job) override {
    boost::asio::post(m_workers, std::move(job));
  }

 private:
  struct Outgoing {
    std::string bytes;
    bool is_text = true;
  };
  using Timer = boost::asio::steady_timer;

  void on_handshake(const boost::system::error_code& error);
  void read();
  void on_read(const boost::system::error_code& error);
  void send(Outgoing message);
  void write_next();
  void write_now();
  void on_written(const boost::system::error_code& error);
  void drop_unsent() {
    m_out.clear();
    m_unsent = m_writing ? m_current.bytes.size() : 0;
  }
  [[nodiscard]] bool fault_is_due();
  void close_now();
  // Ends the connection without a close frame.
  void abort() { finish(End::Broken, k_close_abnormal, ""); }
  void schedule_reset();
  void finish(End end, std::uint16_t code, sv reason);
  /// Calls the session; an exception in it ends the connection.
  template <typename Work>
  void notify(Work&& work);

  std::shared_ptr<Wire> m_wire;
  boost::beast::websocket::stream<Wire&, false> m_stream;
  SocketOffer m_offer;
  std::shared_ptr<SocketSession> m_session;  ///< null after the end
  FaultPlan m_plan;
  boost::asio::thread_pool& m_workers;
  MessageLog m_log;
  std::function<void(const std::string&)> m_log_sent;
  std::function<void(End)> m_done;
  boost::beast::flat_buffer m_in{};
  std::deque<Outgoing> m_out{};
  Outgoing m_current{};  ///< being written
  std::size_t m_unsent = 0;
  std::uint64_t m_sent = 0;      ///< messages
  std::uint64_t m_received = 0;  ///< messages
  std::uint64_t m_payload = 0;   ///< bytes of the messages sent
  boost::beast::websocket::close_reason m_close_reason{};
  std::map<TimerId, Timer> m_timers{};
  TimerId m_last_timer = 0;
  bool m_open = false;
  bool m_reading = false;
  bool m_writing = false;
  bool m_paused = false;
  bool m_opened = false;          ///< on_open() was called
  bool m_output_stopped = false;  ///< fault: no more output
  bool m_close_wanted = false;
  bool m_close_sent = false;
};

/// One connection: requests and responses one after the other. Its functions are thread-safe.
class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  virtual void start() = 0;
  /// Ends the connection: at once if it is idle, otherwise after the response, but within `grace`.
  virtual void stop(std::chrono::milliseconds grace) = 0;
  /// Ends the connection if it is idle.
  virtual void close_if_idle() = 0;
  /// Whether it has been idle long enough that no request can be in transit.
  [[nodiscard]] virtual bool is_idle() const = 0;
};

/// `dispatcher` and `workers` must outlive it. `closed` is called once, at its end.
[[nodiscard]] std::shared_ptr<Connection> make_connection(std::shared_ptr<Wire> wire,
                                                          Dispatcher& dispatcher,
                                                          boost::asio::thread_pool& workers,
                                                          const Timing& timing,
                                                          std::function<void()> closed);

}  // namespace svc::emulator
