// The client's side of the opening handshake (RFC 6455 §4): builds the request as text and parses
// the response from bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "base/result.h"
#include "http/head.h"
#include "http/transport.h"
#include "http/url.h"

namespace svc::websocket {

/// The request that opens a WebSocket.
struct OpenRequest {
  std::string url{};              ///< ws, wss, http or https
  std::vector<Header> headers{};  ///< additional headers
  std::string bearer{};           ///< sent as Authorization: Bearer
  std::vector<std::string> subprotocols{};
};

/// `Sec-WebSocket-Accept` for a key (RFC 6455 §4.2.2).
[[nodiscard]] std::string accept_key(std::string_view key);

class Handshake {
 public:
  /// Usage for an invalid URL or header.
  [[nodiscard]] static Result<Handshake> make(const OpenRequest& request,
                                              std::string_view user_agent);

  /// The request's head.
  [[nodiscard]] const std::string& text() const noexcept { return m_text; }

  /// Parses received bytes. Returns true once the response is complete: accepted() then returns
  /// whether the service accepted. Network if it is not an HTTP response, violates the rules (a
  /// wrong accept key, no upgrade, an unrequested extension or subprotocol), or is too long.
  [[nodiscard]] Result<bool> feed(std::string_view bytes);

  /// Call this when the peer has ended the stream. Returns true if that completes a refusal; else
  /// Network.
  [[nodiscard]] Result<bool> ended();

  [[nodiscard]] bool accepted() const noexcept { return m_accepted; }
  [[nodiscard]] const http::HttpHead& head() const noexcept { return m_head.head(); }
  /// The body of a response other than 101, the service's refusal.
  [[nodiscard]] const std::string& refusal() const noexcept { return m_body; }
  /// The bytes after the head of a 101: the first frames.
  [[nodiscard]] std::string take_rest() { return std::move(m_rest); }

 private:
  Handshake() = default;
  [[nodiscard]] Result<bool> read_response();
  [[nodiscard]] Result<void> check_upgrade() const;
  [[nodiscard]] bool read_refusal();

  std::string m_text{};
  std::string m_key{};
  std::string m_peer{};  ///< host:port, for messages
  std::vector<std::string> m_subprotocols{};
  http::HeadReader m_head{};
  std::string m_rest{};  ///< not parsed yet
  std::string m_body{};
  bool m_accepted = false;
};

}  // namespace svc::websocket
