// A WebSocket client for the emulator's tests, based on Beast. Waits at most ten seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/message.h"

namespace svc::test {

/// "Authorization: Bearer <the demo key>".
[[nodiscard]] std::vector<Header> with_demo_key();

class SocketClient {
 public:
  /// Connects to 127.0.0.1 and requests `target`, a path with its query.
  SocketClient(std::uint16_t port, const std::string& target,
               const std::vector<Header>& headers = with_demo_key());
  SocketClient(const SocketClient&) = delete;
  SocketClient& operator=(const SocketClient&) = delete;
  ~SocketClient();

  [[nodiscard]] bool is_open() const;
  /// Of the handshake response.
  [[nodiscard]] int status() const;
  [[nodiscard]] std::string body() const;
  [[nodiscard]] std::string header(std::string_view name) const;

  void send_text(std::string_view message);
  void send_binary(std::string_view message);
  void ping();
  /// Closes with 1000, and waits for the server's close.
  void close();
  /// Ends the connection without a close frame.
  void drop();

  struct Message {
    enum class Kind : std::uint8_t { Text, Binary, Closed, Lost, Nothing };
    Kind kind = Kind::Nothing;
    std::string bytes{};     ///< for Closed, the reason
    std::uint16_t code = 0;  ///< for Closed
  };
  /// The next message. Lost: the connection ended without a close. Nothing: timed out.
  Message receive(std::chrono::milliseconds wait = std::chrono::seconds(10));
  /// The next message, which must be JSON text.
  nlohmann::json receive_json();

 private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

}  // namespace svc::test
