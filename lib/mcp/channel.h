// A connection to one MCP server: sends requests, receives responses and notifications.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel_token.h"
#include "base/message.h"
#include "base/result.h"

namespace svc::mcp {

/// A notification from the server. Called on the channel's threads; must not block on the channel.
using OnNotification = std::function<void(const std::string& method, const std::string& params)>;

/// The time limit and cancel token of a request. Its owner outlives the request.
struct CallContext {
  std::chrono::milliseconds time{30'000};
  const CancelToken& cancel;
};

/// The agreed protocol revision.
struct NegotiatedProtocol {
  std::string version{};
  std::string meta{};       ///< a JSON object added to every request; empty after a handshake
  bool subscribes = false;  ///< no handshake: subscribe to changes of the server's tools
};

class Channel {
 public:
  Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  virtual ~Channel() = default;

  /// Sends a request and waits for the response; returns the JSON text of its `result`. `params` is
  /// a JSON object. A tool call requests progress notifications, with its ID as the token. May be
  /// called from any thread, concurrently. On a timeout or cancellation the server is informed, and
  /// Fault::Timeout or the token's error is returned. Fails with Fault::Network or Fault::Local if
  /// the server is gone, or with the server's own error and its code. `headers` are sent by
  /// transports that have headers.
  [[nodiscard]] virtual Result<std::string> request(std::string_view method, std::string params,
                                                    const CallContext& context,
                                                    const std::vector<Header>& headers = {}) = 0;

  [[nodiscard]] virtual Result<void> notify(std::string_view method, std::string_view params) = 0;

  virtual void adopt_protocol(NegotiatedProtocol protocol) = 0;

  /// Whether the server is gone and no request can succeed.
  [[nodiscard]] virtual bool is_closed() const { return false; }

  /// Asks the server to exit, without waiting for it.
  virtual void request_exit() noexcept {}

  /// What the server wrote to standard error, possibly truncated: untrusted text. Empty if nothing.
  [[nodiscard]] virtual std::string stderr_output() const { return {}; }
};

}  // namespace svc::mcp
