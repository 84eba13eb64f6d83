// WebSocket operations, without sockets. An area implements a SocketSession for one connection, and
// adds a socket_route() to its routes, whose factory checks the query and returns such a session.
#pragma once

#include "emulator/handler/handler.h"

namespace svc::emulator {

struct HttpRequest;

/// Close codes (RFC 6455, section 7.4.1).
inline constexpr std::uint16_t k_close_normal = 1000;
inline constexpr std::uint16_t k_close_going_away = 1001;
inline constexpr std::uint16_t k_close_abnormal = 1006;  ///< never sent: there was no close frame
inline constexpr std::uint16_t k_close_failure = 1011;

/// The largest client message; a larger one ends the connection with 1009.
inline constexpr std::size_t k_max_message = 32U << 20U;
/// The maximum of unsent bytes; a client that reads too slowly is disconnected.
inline constexpr std::size_t k_max_unsent = 64U << 20U;

/// The peer of a session. Only post() and run_blocking() may be called outside the session's
/// callbacks; after the end, all calls do nothing.
class SocketPeer {
 public:
  using TimerId = std::uint64_t;

  SocketPeer() = default;
  SocketPeer(const SocketPeer&) = delete;
  SocketPeer& operator=(const SocketPeer&) = delete;
  virtual ~SocketPeer() = default;

  /// Messages are sent in the given order. Text must be UTF-8.
  virtual void send_text(std::string message) = 0;
  virtual void send_binary(std::string message) = 0;
  /// Returns the bytes queued but not yet sent.
  [[nodiscard]] virtual std::size_t unsent() const = 0;

  /// Closes after everything queued was sent; on_closed() follows. `reason` has at most 123 bytes.
  virtual void close(std::uint16_t code, sv reason) = 0;

  /// Stops reading messages until resume_reading(), so that the client has to wait.
  virtual void pause_reading() = 0;
  virtual void resume_reading() = 0;

  /// Calls `done` once after `wait`, unless it is canceled or the connection ends first.
  virtual TimerId start_timer(std::chrono::milliseconds wait, std::function<void()> done) = 0;
  virtual void cancel_timer(TimerId timer) = 0;

  /// Runs `work` like the session's callbacks, one at a time; drops it after the end.
  virtual void post(std::function<void()> work) = 0;

  /// Runs `job`, which must not throw, on a thread that may block. Two may run at the same time.
  virtual void run_blocking(std::function<void()> job) = 0;
};

/// One connection. Its functions are called one at a time, never after on_closed(); an exception
/// from one closes the connection with 1011.
class SocketSession {
 public:
  SocketSession() = default;
  SocketSession(const SocketSession&) = delete;
  SocketSession& operator=(const SocketSession&) = delete;
  virtual ~SocketSession() = default;

  /// The connection is open. The session may store `peer`; it is released at the end.
  virtual void on_open(std::shared_ptr<SocketPeer> peer) = 0;
  virtual void on_text(std::string message) = 0;
  virtual void on_binary(std::string message) = 0;
  /// Everything queued was sent.
  virtual void on_drained() {}
  /// Before on_open(): a rule's text, which is what the session hears.
  virtual void set_transcript(std::string /*text*/) {}
  /// Nothing more is sent or received. `code` is the client's, or k_close_abnormal.
  virtual void on_closed(std::uint16_t /*code*/, sv /*reason*/) {}
};

/// The WebSocket that takes over after a response with status 101 (Response::socket).
struct SocketOffer {
  std::shared_ptr<SocketSession> session{};
  std::string key{};       ///< Sec-WebSocket-Key
  std::string protocol{};  ///< the subprotocol to agree on; empty: none
};

/// Returns a session, or the response that refuses the handshake, from the query and the key.
using SocketFactory =
    std::function<std::variant<std::shared_ptr<SocketSession>, Response>(const Request&)>;

struct SocketRoute {
  std::string path;
  SocketFactory factory;
  std::string endpoint_acl{};
  SecretLookup secrets{};  ///< Route::secrets
};

/// Returns the row for the routing table, whose handler checks the handshake (426 or 400).
[[nodiscard]] Route socket_route(SocketRoute socket);

/// Whether the request asks for a WebSocket.
[[nodiscard]] bool asks_for_socket(const HttpRequest& request);

/// Returns the client secret in the subprotocol (browsers) or the bearer token of a request.
[[nodiscard]] std::optional<std::string> offered_secret(const HttpRequest& request);

/// The prefix of client secrets.
inline constexpr sv k_secret_prefix = "svc-realtime-client-secret-";
/// Precedes a client secret in a subprotocol.
inline constexpr sv k_secret_protocol = "svc-client-secret.";

}  // namespace svc::emulator
