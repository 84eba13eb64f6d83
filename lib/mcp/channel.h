// A way to one MCP server: requests out, answers in, and what the server says by itself.
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

/// A notification of the server. Called from threads of the channel; must not wait for the channel.
using OnNotice = std::function<void(const std::string& method, const std::string& params)>;

/// How long a request may take. Its owner outlives the request.
struct Patience {
  std::chrono::milliseconds time{30'000};
  const CancelToken& cancel;
};

/// What both sides speak from now on.
struct Agreement {
  std::string version{};
  std::string meta{};  ///< a JSON object that goes with every request; empty: after a handshake
  bool subscribes = false;  ///< without a handshake: the server tells when its tools change
};

class Channel {
 public:
  Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  virtual ~Channel() = default;

  /// Sends a request and waits for its answer: the JSON text of its `result`. `params` is a JSON
  /// object; a call of a tool asks for news of its progress, with its id as the token. Any thread,
  /// any number at a time. The server is told when the caller gives up: Timeout, or the
  /// cancellation's fault. Network or Local when the server is gone; the server's own error with
  /// its code. `headers` go with it where requests have headers.
  [[nodiscard]] virtual Result<std::string> request(std::string_view method, std::string params,
                                                    const Patience& patience,
                                                    const std::vector<Header>& headers = {}) = 0;

  [[nodiscard]] virtual Result<void> notify(std::string_view method, std::string_view params) = 0;

  virtual void agree(Agreement agreement) = 0;

  /// The server is gone: it answers nothing any more.
  [[nodiscard]] virtual bool is_over() const { return false; }

  /// Asks the server to end, without waiting for it.
  virtual void ask_to_end() noexcept {}

  /// What the server wrote for people, as far as it was kept: foreign text. Empty: nothing.
  [[nodiscard]] virtual std::string complaints() const { return {}; }
};

}  // namespace svc::mcp
