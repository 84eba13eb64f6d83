// One WebSocket connection over a Wire, with the faults that befall it. Its .cpp holds the only
// instance of Beast's stream, which plain and TLS connections share.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "emulator/control/faults.h"
#include "emulator/handler/socket.h"
#include "emulator/server/crew.h"
#include "emulator/server/wire.h"

namespace svc::emulator {

/// A Wire as Asio's stream concepts want it. `first` is read before what the wire brings.
class WireStream {
 public:
  using executor_type = boost::asio::any_io_executor;

  explicit WireStream(std::shared_ptr<Wire> wire)
      : m_wire(std::move(wire)), m_executor(m_wire->executor()) {}

  [[nodiscard]] executor_type get_executor() const noexcept { return m_executor; }
  [[nodiscard]] Wire& wire() const { return *m_wire; }
  void read_first(std::string first) { m_first = std::move(first); }

  template <typename Buffers, typename Handler>
  auto async_read_some(const Buffers& buffers, Handler&& handler) {
    return boost::asio::async_initiate<Handler, void(boost::system::error_code, std::size_t)>(
        [this](auto inner, const Buffers& into) { this->start_read(into, std::move(inner)); },
        handler, buffers);
  }

  template <typename Buffers, typename Handler>
  auto async_write_some(const Buffers& buffers, Handler&& handler) {
    return boost::asio::async_initiate<Handler, void(boost::system::error_code, std::size_t)>(
        [this](auto inner, const Buffers& from) { this->start_write(from, std::move(inner)); },
        handler, buffers);
  }

 private:
  template <typename Buffers, typename Handler>
  void start_read(const Buffers& buffers, Handler handler) {
    const auto into = first_of<boost::asio::mutable_buffer>(buffers);
    if (!m_first.empty() || into.size() == 0) {
      const std::size_t size = std::min(into.size(), m_first.size());
      std::copy_n(m_first.data(), size, static_cast<char*>(into.data()));
      m_first.erase(0, size);
      return boost::asio::post(m_executor, [size, inner = std::move(handler)]() mutable {
        inner(boost::system::error_code{}, size);
      });
    }
    const auto shared = std::make_shared<Handler>(std::move(handler));
    m_wire->read(
        {static_cast<char*>(into.data()), into.size()}, [shared, wire = m_wire](std::size_t bytes) {
          (*shared)(bytes == 0 ? boost::asio::error::eof : boost::system::error_code{}, bytes);
        });
  }

  // A header and its payload go out as one, or each would be a packet of its own.
  template <typename Buffers, typename Handler>
  void start_write(const Buffers& buffers, Handler handler) {
    constexpr std::size_t k_most = 65'536;
    m_out.resize(std::min(boost::asio::buffer_size(buffers), k_most));
    boost::asio::buffer_copy(boost::asio::buffer(m_out), buffers);
    const auto shared = std::make_shared<Handler>(std::move(handler));
    m_wire->write(m_out, [shared, wire = m_wire, size = m_out.size()](bool ok) {
      (*shared)(ok ? boost::system::error_code{} : boost::asio::error::broken_pipe, ok ? size : 0);
    });
  }

  template <typename Buffer, typename Buffers>
  static Buffer first_of(const Buffers& buffers) {
    const auto end = boost::asio::buffer_sequence_end(buffers);
    for (auto at = boost::asio::buffer_sequence_begin(buffers); at != end; ++at) {
      if (Buffer(*at).size() > 0) return *at;
    }
    return {};
  }

  std::shared_ptr<Wire> m_wire;
  boost::asio::any_io_executor m_executor;
  std::string m_first{};
  std::string m_out{};  ///< what is being written
};

// Beast finds these by argument: the connection is ended by its owner, who knows about TLS.
inline void teardown(boost::beast::role_type /*role*/, WireStream& /*stream*/,
                     boost::system::error_code& error) {
  error = {};
}
template <typename Handler>
void async_teardown(boost::beast::role_type /*role*/, WireStream& stream, Handler&& handler) {
  boost::asio::post(stream.get_executor(), [inner = std::forward<Handler>(handler)]() mutable {
    inner(boost::system::error_code{});
  });
}
inline void beast_close_socket(WireStream& stream) {
  stream.wire().close();
}

/// Told of each message that came in.
using MessageLog = std::function<void(std::string_view message, bool is_text)>;

class SocketLink final : public SocketPeer, public std::enable_shared_from_this<SocketLink> {
 public:
  enum class End : std::uint8_t {
    Closed,  ///< both have said goodbye, or the peer is gone
    Broken,  ///< the connection is to end at once
  };
  struct Parts {
    std::shared_ptr<Wire> wire;  ///< the handshake has been read from it
    SocketOffer offer;
    FaultPlan plan;
    Crew& crew;  ///< must outlive the link
    MessageLog log;
    std::function<void(End)> done;  ///< called once, when the session has ended
  };
  /// On the wire's strand.
  explicit SocketLink(Parts parts)
      : m_wire(std::move(parts.wire)),
        m_stream(m_wire),
        m_offer(std::move(parts.offer)),
        m_session(std::move(m_offer.session)),
        m_plan(std::move(parts.plan)),
        m_crew(parts.crew),
        m_log(std::move(parts.log)),
        m_done(std::move(parts.done)) {}

  /// Answers the handshake and goes on. `rest` was read behind it already.
  void start(std::string rest);
  /// The server ends: says goodbye with 1001.
  void shut_down();
  /// The wire was closed: ends the session.
  void abandon() { finish(End::Broken, k_close_abnormal, ""); }

  void send_text(std::string message) override { send({std::move(message), true}); }
  void send_binary(std::string message) override { send({std::move(message), false}); }
  [[nodiscard]] std::size_t unsent() const override { return m_unsent; }
  void close(std::uint16_t code, std::string_view reason) override;
  void pause_reading() override { m_paused = true; }
  void resume_reading() override {
    m_paused = false;
    read();
  }
  TimerId start_timer(std::chrono::milliseconds wait, std::function<void()> done) override;
  void cancel_timer(TimerId timer) override { m_timers.erase(timer); }
  void post(std::function<void()> work) override;
  void run_apart(std::function<void()> job) override { m_crew.run(std::move(job)); }

 private:
  struct Message {
    std::string bytes;
    bool is_text = true;
  };
  using Timer = boost::asio::steady_timer;

  void on_handshake(const boost::system::error_code& error);
  void read();
  void on_read(const boost::system::error_code& error);
  void send(Message message);
  void write_next();
  void write_now();
  void on_written(const boost::system::error_code& error);
  void drop_unsent();
  [[nodiscard]] bool fault_is_due();
  void close_now();
  void cut();
  void reset_soon();
  void finish(End end, std::uint16_t code, std::string_view reason);
  /// Calls into the session; a bug of it ends the connection.
  template <typename Work>
  void tell(Work&& work);

  std::shared_ptr<Wire> m_wire;
  boost::beast::websocket::stream<WireStream, false> m_stream;
  SocketOffer m_offer;
  std::shared_ptr<SocketSession> m_session;  ///< null after the end
  FaultPlan m_plan;
  Crew& m_crew;
  MessageLog m_log;
  std::function<void(End)> m_done;
  boost::beast::flat_buffer m_in{};
  std::deque<Message> m_out{};
  Message m_current{};  ///< is being written
  std::size_t m_unsent = 0;
  std::uint64_t m_sent = 0;      ///< messages
  std::uint64_t m_received = 0;  ///< messages
  std::uint64_t m_payload = 0;   ///< bytes of the messages sent
  boost::beast::websocket::close_reason m_goodbye{};
  std::map<TimerId, Timer> m_timers{};
  TimerId m_last_timer = 0;
  bool m_open = false;
  bool m_reading = false;
  bool m_writing = false;
  bool m_paused = false;
  bool m_told = false;   ///< the session has seen on_open()
  bool m_muted = false;  ///< a fault: nothing is sent any more
  bool m_close_wanted = false;
  bool m_close_sent = false;
};

}  // namespace svc::emulator
