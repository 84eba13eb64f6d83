// A WebSocket that a thread of its own drives.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "svc/impl/call.h"
#include "svc/voice.h"

namespace svc::v0 {

struct Socket::State {
  /// `cancellation` also ends the connection.
  State(std::unique_ptr<websocket::WebSocket> channel, std::optional<Cancellation> cancellation);
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  [[nodiscard]] svc::Result<void> send(websocket::Message message);
  /// Timeout if nothing has arrived until then.
  [[nodiscard]] svc::Result<std::optional<SocketMessage>> receive(
      std::optional<std::chrono::steady_clock::time_point> until = std::nullopt);
  void close() noexcept;

 private:
  void drive() noexcept;
  [[nodiscard]] svc::Result<void> transfer();
  [[nodiscard]] bool is_full();

  std::unique_ptr<websocket::WebSocket> m_channel;
  std::optional<Cancellation> m_cancellation;
  CancelSource m_stop{};
  LinkedToken m_cancel{};
  std::mutex m_mutex{};
  std::condition_variable m_changed{};
  std::deque<SocketMessage> m_arrived{};  ///< guarded
  std::size_t m_bytes = 0;                ///< guarded: of m_arrived
  bool m_ended = false;                   ///< guarded
  std::optional<svc::Error> m_error{};    ///< guarded: why it ended, unless regularly
  std::thread m_thread{};                 ///< drives the channel; joined by the destructor
};

/// Connects, and sends the operation's first message if it has one.
[[nodiscard]] svc::Result<Socket> open_socket(Call& call, const Operation& operation,
                                              const FlagList& flags);
[[nodiscard]] svc::Result<std::shared_ptr<Socket::State>> open_socket_state(
    Call& call, const Operation& operation, const FlagList& flags);

}  // namespace svc::v0
