// One WebSocket connection over a Wire, with injected faults. Its .cpp contains the only instance
// of Beast's stream, which plain and TLS connections share.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "emulator/control/faults.h"
#include "emulator/handler/socket.h"
#include "emulator/server/wire.h"

namespace svc::emulator {

/// Called for each received message.
using MessageLog = std::function<void(std::string_view message, bool is_text)>;

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
  void close(std::uint16_t code, std::string_view reason) override;
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
  void abort();
  void schedule_reset();
  void finish(End end, std::uint16_t code, std::string_view reason);
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
  std::deque<Message> m_out{};
  Message m_current{};  ///< being written
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

}  // namespace svc::emulator
