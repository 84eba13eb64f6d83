// Opens a WebSocket channel.
#pragma once

#include <memory>
#include <string>

#include "base/cancel_token.h"
#include "base/result.h"
#include "websocket/web_socket.h"

namespace svc::websocket {

/// The result of opening: a channel, or the service's refusal.
struct OpenResult {
  std::unique_ptr<WebSocket> channel{};
  http::HttpHead head{};
  std::string refusal{};  ///< the body, if there is no channel
};

/// Connects and performs the handshake. Usage, Network or Timeout, or the cancel token's error.
[[nodiscard]] Result<OpenResult> open_channel(const OpenRequest& request,
                                              const ChannelOptions& options,
                                              const CancelToken& cancel);

}  // namespace svc::websocket
