// A WebSocket channel for messages in both directions. One thread owns it and drives it with
// receive(); any thread may queue messages with send().
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/cancel_token.h"
#include "base/result.h"
#include "http/connection.h"
#include "websocket/framing.h"
#include "websocket/handshake.h"

namespace svc::websocket {

struct ChannelOptions {
  http::TransportOptions transport{};               ///< certificates, user agent, trace
  std::chrono::milliseconds connect{30'000};        ///< name lookup, TCP, proxy and TLS together
  std::chrono::milliseconds handshake{15'000};      ///< the response to the handshake
  std::chrono::milliseconds ping_interval{10'000};  ///< of silence, then a ping is sent
  std::chrono::milliseconds idle_timeout{20'000};  ///< of silence, then the peer is considered gone
  std::chrono::milliseconds close_timeout{2'000};  ///< how long to wait for the peer's close frame
  std::size_t max_message = 32'000'000;            ///< maximum size of a message from the peer
  std::size_t max_queued = 4U << 20U;              ///< maximum number of bytes queued by send()
};

enum class ReceivedKind : std::uint8_t {
  Text,
  Binary,
  Closed,   ///< the connection has ended, see Received::close; nothing follows
  Woken,    ///< wake() was called
  Ready,    ///< one of the other descriptors is readable
  Nothing,  ///< the timeout expired
};

struct Received {
  ReceivedKind what = ReceivedKind::Nothing;
  std::string data{};  ///< of a message
  Close close{};
};

class WebSocket {
 public:
  using Clock = std::chrono::steady_clock;

  /// Uses a connection whose handshake is done; `first` is the data received after it.
  WebSocket(std::unique_ptr<http::Connection> connection, ChannelOptions options,
            std::string_view first = {});
  WebSocket(const WebSocket&) = delete;
  WebSocket& operator=(const WebSocket&) = delete;
  ~WebSocket();

  // For any thread.

  /// Queues a message. Returns false if the queue is full or the channel is closing: the caller
  /// waits or drops it. A message longer than the whole queue is accepted if the queue is empty.
  [[nodiscard]] bool send(Message message);
  /// Closes after the queued messages; receive() then reports the end.
  void close(std::uint16_t code = k_normal_closure, std::string_view reason = {});
  /// Makes receive() return.
  void wake();
  /// The number of queued bytes not yet written to the socket.
  [[nodiscard]] std::size_t queued() const;

  // For the thread that owns the channel.

  /// While held, receive() still sends what is queued, but reads nothing and returns no messages:
  /// their receiver cannot take them yet.
  void hold(bool held) noexcept;
  /// Reads and writes until something has arrived, the time `until` has passed, or one of `others`
  /// (descriptors; -1 is ignored) is readable. The only error is that of the cancel token; the end
  /// of the connection is reported as Received.
  [[nodiscard]] Result<Received> receive(const CancelToken& cancel,
                                         std::optional<Clock::time_point> until,
                                         std::span<const int> others);
  [[nodiscard]] Result<Received> receive(const CancelToken& cancel,
                                         std::optional<Clock::time_point> until = std::nullopt,
                                         int other = -1) {
    return receive(cancel, until, std::span<const int>(&other, 1));
  }

 private:
  void notify_owner();
  /// A connection that is broken or has ended is read to its end: nothing can be sent any more.
  [[nodiscard]] bool is_held() const noexcept { return m_held && !m_write_failed && !m_end; }
  [[nodiscard]] std::optional<Received> take_ready();
  void read_some();
  void write_some();
  void next_message();
  void check_keep_alive(Clock::time_point now);
  void check_ended(Clock::time_point now);
  void end(Close close);
  [[nodiscard]] bool wait(const CancelToken& cancel, std::optional<Clock::time_point> until,
                          std::span<const int> others);
  [[nodiscard]] Clock::time_point next_deadline() const;

  std::unique_ptr<http::Connection> m_connection;
  ChannelOptions m_options;
  Framing m_framing;
  std::deque<Message> m_arrived{};
  std::optional<Close> m_end{};  ///< decided; reported once everything received was consumed
  bool m_held = false;
  bool m_readable = true;       ///< the connection may have more data to read
  bool m_blocked = false;       ///< there may be more data to write
  bool m_write_failed = false;  ///< the connection no longer accepts data
  Clock::time_point m_last_received;
  std::optional<Clock::time_point> m_pinged{};
  std::uint16_t m_close_code = k_abnormal_closure;  ///< the code sent by this side
  std::optional<Clock::time_point> m_closing{};     ///< when this side started waiting for the end

  mutable std::mutex m_mutex{};
  std::deque<Message> m_queue{};      ///< guarded
  std::size_t m_queued = 0;           ///< guarded: bytes of m_queue and of the message being sent
  std::size_t m_in_flight = 0;        ///< the part of m_queued passed to the framing
  std::optional<Close> m_to_close{};  ///< guarded
  bool m_send_closed = false;         ///< guarded: no more messages are accepted
  bool m_has_work = false;            ///< guarded: receive() has unseen work
  bool m_receiver_waits = false;      ///< guarded: receive() is waiting, and m_changed wakes it
  std::atomic<bool> m_woken = false;
  Event m_changed{};
};

/// The error for an unexpected end of the connection, by its code (RFC 6455 §7.4.1).
[[nodiscard]] Error close_error(const Close& close);

}  // namespace svc::websocket
