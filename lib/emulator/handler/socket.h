// WebSocket operations, without sockets: what an area writes and what it is given.
//
// An area has a class for one connection:
//
//   class EchoSession final : public SocketSession {
//    public:
//     void on_open(std::shared_ptr<SocketPeer> peer) override { m_peer = std::move(peer); }
//     void on_text(std::string message) override { m_peer->send_text(std::move(message)); }
//    private:
//     std::shared_ptr<SocketPeer> m_peer{};
//   };
//
// and a row beside its other routes:
//
//   socket_route({.path = "/v1/echo", .factory = open_echo, .endpoint_acl = "echo"})
//
// where open_echo(call) looks at the query, and gives a session or the answer that refuses it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "emulator/handler/handler.h"

namespace svc::emulator {

struct HttpCall;

/// Close codes (RFC 6455, section 7.4.1).
inline constexpr std::uint16_t k_close_normal = 1000;
inline constexpr std::uint16_t k_close_going_away = 1001;
inline constexpr std::uint16_t k_close_abnormal = 1006;  ///< never sent: there was no close frame
inline constexpr std::uint16_t k_close_failure = 1011;

/// The largest message that a client may send; a larger one ends the connection with 1009.
inline constexpr std::size_t k_max_message = 32U << 20U;
/// What may wait to be sent; a client that reads so much too slowly is cut off.
inline constexpr std::size_t k_max_unsent = 64U << 20U;

/// The other side of a connection. Only post() and run_apart() may be called from other threads
/// than the session's callbacks; after the end all calls do nothing.
class SocketPeer {
 public:
  using TimerId = std::uint64_t;

  SocketPeer() = default;
  SocketPeer(const SocketPeer&) = delete;
  SocketPeer& operator=(const SocketPeer&) = delete;
  virtual ~SocketPeer() = default;

  /// Sent in the order given, however fast. Text must be UTF-8.
  virtual void send_text(std::string message) = 0;
  virtual void send_binary(std::string message) = 0;
  /// Bytes that were given and are not yet on their way.
  [[nodiscard]] virtual std::size_t unsent() const = 0;

  /// Says goodbye after all that was sent; on_closed() follows. `reason` has at most 123 bytes.
  virtual void close(std::uint16_t code, std::string_view reason) = 0;

  /// No further message is taken in until resume_reading(): the client then has to wait.
  virtual void pause_reading() = 0;
  virtual void resume_reading() = 0;

  /// Calls `done` once after `wait`, unless it is cancelled or the connection ends first.
  virtual TimerId start_timer(std::chrono::milliseconds wait, std::function<void()> done) = 0;
  virtual void cancel_timer(TimerId timer) = 0;

  /// Runs `work` as the session's callbacks are run, one at a time; drops it after the end.
  virtual void post(std::function<void()> work) = 0;

  /// Runs `job` on a thread that may take its time; its result comes back by post(). Two jobs may
  /// run at the same time. It must not throw.
  virtual void run_apart(std::function<void()> job) = 0;
};

/// One connection. Its functions are called one at a time, never after on_closed(); an exception
/// out of one closes the connection with 1011.
class SocketSession {
 public:
  SocketSession() = default;
  SocketSession(const SocketSession&) = delete;
  SocketSession& operator=(const SocketSession&) = delete;
  virtual ~SocketSession() = default;

  /// The connection is open. The session may keep `peer`; it is released at the end.
  virtual void on_open(std::shared_ptr<SocketPeer> peer) = 0;
  virtual void on_text(std::string message) = 0;
  virtual void on_binary(std::string message) = 0;
  /// All that was given to send is on its way.
  virtual void on_drained() {}
  /// Nothing is sent or received any more. `code` is the client's, or k_close_abnormal.
  virtual void on_closed(std::uint16_t /*code*/, std::string_view /*reason*/) {}
};

/// What goes on as a WebSocket after the answer with status 101 (Answer::socket).
struct SocketOffer {
  std::shared_ptr<SocketSession> session{};
  std::string key{};       ///< Sec-WebSocket-Key
  std::string protocol{};  ///< the subprotocol to agree on; empty: none
};

/// A session, or the answer that refuses the handshake. It gets the query and the key.
using SocketFactory =
    std::function<std::variant<std::shared_ptr<SocketSession>, Answer>(const Call&)>;

struct SocketRoute {
  std::string path;
  SocketFactory factory;
  std::string endpoint_acl{};
  SecretLookup secrets{};  ///< Route::secrets
};

/// The row for the routing table. Its handler checks the handshake (426 and 400 where it is none),
/// asks the factory, and gives an answer with status 101 and Answer::socket.
[[nodiscard]] Route socket_route(SocketRoute socket);

/// Does the request ask for a WebSocket?
[[nodiscard]] bool asks_for_socket(const HttpCall& call);

/// The client secret of a request: in the subprotocol `svc-client-secret.<value>` (browsers), or
/// a bearer token that begins as client secrets do.
[[nodiscard]] std::optional<std::string> offered_secret(const HttpCall& call);

/// What client secrets begin with.
inline constexpr std::string_view k_secret_prefix = "svc-realtime-client-secret-";
/// Before a client secret in a subprotocol.
inline constexpr std::string_view k_secret_protocol = "svc-client-secret.";

}  // namespace svc::emulator
