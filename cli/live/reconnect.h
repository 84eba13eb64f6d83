// What commands share that hold a live connection and bring it back when it is lost.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/cancel_token.h"
#include "base/result.h"
#include "websocket/channel.h"

namespace svc::cli {

/// Whether a connection that ended so may be brought back: it was lost, or the service had to
/// restart or is overloaded.
[[nodiscard]] bool may_come_back(const websocket::Close& close);

/// Whether the peer closed because there was nothing more to say (RFC 6455 §7.4.1).
[[nodiscard]] bool closed_in_order(const websocket::Close& close);

/// Why a connection ended, as an error: what the service had said of it before, if anything, ended
/// `what`, such as "the session"; else what the close itself tells.
[[nodiscard]] Error end_of(const websocket::Close& close, std::string_view what,
                           std::string_view said);

/// The channel, or the service's refusal as its error.
[[nodiscard]] Result<std::unique_ptr<websocket::Channel>> channel_of(
    websocket::Opening opening, std::span<const std::string> secrets);

/// Whether a refusal may pass: the service is overloaded or has failed.
[[nodiscard]] bool may_pass(const Error& refusal);

/// Closes a channel with `code`; the peer is told, but hardly waited for.
void say_goodbye(websocket::Channel& channel, std::uint16_t code);

/// How long to wait before another attempt, after so many.
[[nodiscard]] std::chrono::milliseconds retry_pause(int attempts);

/// Waits as Channel::receive() does, where there is no channel: Ready or Nothing, or the stop's
/// fault. May return early.
[[nodiscard]] Result<websocket::Received> wait_readable(
    const CancelToken& cancel, std::optional<websocket::Channel::Clock::time_point> until,
    std::span<const int> others);

}  // namespace svc::cli
