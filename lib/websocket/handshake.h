// The opening handshake (RFC 6455 §4), a client's side: a request as text, an answer from bytes.
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
  std::vector<Header> headers{};  ///< further ones
  std::string bearer{};           ///< sent as Authorization: Bearer
  std::vector<std::string> subprotocols{};
};

/// An answer other than 101: the service's refusal, as any HTTP request would get it.
struct Refusal {
  http::HttpHead head{};
  std::string body{};
};

/// `Sec-WebSocket-Accept` for a key (RFC 6455 §4.2.2).
[[nodiscard]] std::string accept_for(std::string_view key);

class Handshake {
 public:
  /// Usage for an address or header that may not be sent.
  [[nodiscard]] static Result<Handshake> make(const OpenRequest& request,
                                              std::string_view user_agent);

  /// The request's head.
  [[nodiscard]] const std::string& text() const noexcept { return m_text; }

  /// Takes what has arrived. True when the answer is whole: then accepted() tells which. Network
  /// when it is not an answer, breaks the rules (a wrong accept key, no upgrade, an extension or
  /// subprotocol that was not asked for), or has no end.
  [[nodiscard]] Result<bool> take(std::string_view bytes);

  /// The peer has ended the stream. True when a refusal is whole by that; else Network.
  [[nodiscard]] Result<bool> ended();

  [[nodiscard]] bool accepted() const noexcept { return m_accepted; }
  [[nodiscard]] const http::HttpHead& head() const noexcept { return m_head.head(); }
  [[nodiscard]] Refusal refusal() const { return {m_head.head(), m_body}; }
  /// What came behind the head of a 101: the first frames.
  [[nodiscard]] std::string take_rest() { return std::move(m_rest); }

 private:
  Handshake() = default;
  [[nodiscard]] Result<bool> read_answer();
  [[nodiscard]] Result<void> check_upgrade() const;
  [[nodiscard]] bool read_refusal();

  std::string m_text{};
  std::string m_key{};
  std::string m_peer{};  ///< host:port, for messages
  std::vector<std::string> m_subprotocols{};
  http::HeadReader m_head{};
  std::string m_rest{};  ///< not read yet
  std::string m_body{};
  bool m_accepted = false;
};

}  // namespace svc::websocket
