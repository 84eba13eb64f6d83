// WebSockets of the service, opened with the session's settings and key.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "request/inputs.h"
#include "session/session.h"
#include "websocket/channel.h"

namespace svc::cli {

/// How this session opens channels: its time limits, and its trace with -v.
[[nodiscard]] websocket::ChannelOptions channel_options(Session& session);

/// The handshake of a prepared request, with the key, or the client secret of --protocol-secret,
/// and what --subprotocol offers. Starts the emulator where it is meant.
[[nodiscard]] Result<websocket::OpenRequest> socket_request(Session& session,
                                                            const request::Request& request);

/// The same handshake, for --dry-run and --curl.
[[nodiscard]] Result<void> show_socket(Session& session, request::Request request);

/// Opens a channel. A refusal is the service's error, as for any other request.
[[nodiscard]] Result<std::unique_ptr<websocket::Channel>> open_socket(
    Session& session, const request::Request& request);

/// The channel, or the service's refusal as its error.
[[nodiscard]] Result<std::unique_ptr<websocket::Channel>> channel_of(
    websocket::Opening opening, std::span<const std::string> secrets);

/// Whether a connection that ended so may be brought back: it was lost, or the service had to
/// restart or is overloaded.
[[nodiscard]] bool may_come_back(const websocket::Close& close);

/// Whether the peer closed because there was nothing more to say (RFC 6455 §7.4.1).
[[nodiscard]] bool closed_in_order(const websocket::Close& close);

/// Closes a channel with `code`; waits for the peer half a second when all was said (1000), else
/// hardly.
void say_goodbye(websocket::Channel& channel, std::uint16_t code);

}  // namespace svc::cli
