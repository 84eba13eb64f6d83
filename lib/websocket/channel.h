// A WebSocket: messages both ways. One thread owns it and drives it by receive(); any thread may
// hand messages in by send().
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
  http::TransportOptions transport{};            ///< certificates, user agent, trace
  std::chrono::milliseconds connect{30'000};     ///< name lookup, TCP, proxy and TLS together
  std::chrono::milliseconds handshake{15'000};   ///< the answer to the handshake
  std::chrono::milliseconds ping_after{10'000};  ///< of silence: asks for a sign of life
  std::chrono::milliseconds dead_after{20'000};  ///< of silence: the peer is gone
  std::chrono::milliseconds close_wait{2'000};   ///< how long a close is waited for
  std::size_t max_message = 32'000'000;          ///< of the peer
  std::size_t max_queued = 4U << 20U;            ///< bytes that send() keeps
};

enum class Arrival : std::uint8_t {
  Text,
  Binary,
  Closed,   ///< the end: see Received::close; nothing comes after it
  Woken,    ///< somebody called wake()
  Ready,    ///< one of the other descriptors can be read
  Nothing,  ///< the time is over
};

struct Received {
  Arrival what = Arrival::Nothing;
  std::string data{};  ///< of a message
  Close close{};
};

class Channel {
 public:
  using Clock = std::chrono::steady_clock;

  /// Over a connection whose handshake is done; `first` is what came behind it.
  Channel(std::unique_ptr<http::Connection> connection, ChannelOptions options,
          std::string_view first = {});
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel();

  // From any thread.

  /// Hands a message in. False when the queue is full or the channel closes: the caller waits, or
  /// drops it. A message longer than the whole queue is taken by an empty one.
  [[nodiscard]] bool send(Message message);
  /// Closes behind what was handed in; receive() then tells the end.
  void close(std::uint16_t code = k_normal_closure, std::string_view reason = {});
  /// Makes receive() return.
  void wake();
  /// Bytes that were handed in and are not on the socket yet.
  [[nodiscard]] std::size_t queued() const;

  // From the thread that owns the channel.

  /// Reads and writes until something has arrived, `until` is over, or one of `others`
  /// (descriptors; -1 counts for nothing) can be read. Errors are the stop's only; how the
  /// connection ended is a Received.
  [[nodiscard]] Result<Received> receive(const CancelToken& cancel,
                                         std::optional<Clock::time_point> until,
                                         std::span<const int> others);
  [[nodiscard]] Result<Received> receive(const CancelToken& cancel,
                                         std::optional<Clock::time_point> until = std::nullopt,
                                         int other = -1) {
    return receive(cancel, until, std::span<const int>(&other, 1));
  }

 private:
  void tell();
  [[nodiscard]] std::optional<Received> take_ready();
  void read_some();
  void write_some();
  void next_message();
  void check_life(Clock::time_point now);
  void settle(Clock::time_point now);
  void end(Close close);
  [[nodiscard]] bool wait(const CancelToken& cancel, std::optional<Clock::time_point> until,
                          std::span<const int> others);
  [[nodiscard]] Clock::time_point next_deadline() const;

  std::unique_ptr<http::Connection> m_connection;
  ChannelOptions m_options;
  Framing m_framing;
  std::deque<Message> m_arrived{};
  std::optional<Close> m_end{};  ///< decided; reported once everything that arrived was taken
  bool m_readable = true;        ///< the connection may have more than was read
  bool m_blocked = false;        ///< there may be more to write
  bool m_deaf = false;           ///< the connection takes nothing any more
  Clock::time_point m_heard;
  std::optional<Clock::time_point> m_pinged{};
  std::uint16_t m_close_code = k_abnormal_closure;  ///< that this side has sent
  std::optional<Clock::time_point> m_closing{};     ///< since when this side waits for the end

  mutable std::mutex m_mutex{};
  std::deque<Message> m_queue{};      ///< guarded
  std::size_t m_queued = 0;           ///< guarded: bytes of m_queue and of what is being sent
  std::size_t m_in_flight = 0;        ///< of them, what the framing has
  std::optional<Close> m_to_close{};  ///< guarded
  bool m_over = false;                ///< guarded: nothing more is taken
  bool m_news = false;                ///< guarded: there is something that receive() has not seen
  bool m_waits = false;               ///< guarded: receive() waits, and m_changed wakes it
  std::atomic<bool> m_woken = false;
  Event m_changed{};
};

/// What came of opening: a channel, or the service's refusal.
struct Opening {
  std::unique_ptr<Channel> channel{};
  http::HttpHead head{};
  std::string refusal{};  ///< the body, without a channel
};

/// Connects and shakes hands. Usage, Network or Timeout, or the stop's fault.
[[nodiscard]] Result<Opening> open_channel(const OpenRequest& request,
                                           const ChannelOptions& options,
                                           const CancelToken& cancel);

/// What an end means when more was expected, by its code (RFC 6455 §7.4.1).
[[nodiscard]] Error close_error(const Close& close);

}  // namespace svc::websocket
