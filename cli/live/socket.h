// WebSockets of the service, opened with the session's settings and key.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "request/inputs.h"
#include "session/session.h"
#include "websocket/channel.h"

namespace svc::cli {

/// How this session opens channels: its time limits, and its trace with -v.
[[nodiscard]] websocket::ChannelOptions channel_options(Session& session);

/// Whether a channel is opened with the key, or `request` brings another proof.
enum class SocketKey : std::uint8_t { Send, Keep };

/// Opens a channel at `path` (with its query) of the realtime host. `request` brings further
/// headers and subprotocols; address and key are filled in. A refusal is the service's error, as
/// for any other request.
[[nodiscard]] Result<std::unique_ptr<websocket::Channel>> open_socket(
    Session& session, const std::string& path, websocket::OpenRequest request = {},
    SocketKey key = SocketKey::Send);

/// The same request with address and key, for a AsyncConnect. Starts the emulator where it is
/// meant.
[[nodiscard]] Result<websocket::OpenRequest> socket_request(Session& session,
                                                            const std::string& path,
                                                            websocket::OpenRequest request = {},
                                                            SocketKey key = SocketKey::Send);

/// The way to the socket of a prepared request, without the host: for open_socket().
[[nodiscard]] std::string socket_path(const request::Request& request);

/// The handshake of a prepared request, for --dry-run and --curl.
[[nodiscard]] Result<void> show_socket(Session& session, request::Request request);

}  // namespace svc::cli
