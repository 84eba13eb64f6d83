// WebSockets of the service, opened with the session's settings and key.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "session.h"
#include "websocket/channel.h"

namespace svc::cli {

/// How this session opens channels: its time limits, and its trace with -v.
[[nodiscard]] websocket::ChannelOptions channel_options(Session& session);

/// Opens a channel at `path` (with its query) of the realtime host. `request` brings further
/// headers and subprotocols; address and key are filled in. A refusal is the service's error, as
/// for any other request.
[[nodiscard]] Result<std::unique_ptr<websocket::Channel>> open_socket(
    Session& session, const std::string& path, websocket::OpenRequest request = {});

}  // namespace svc::cli
