// What commands share that hold a live connection and bring it back when it is lost.
#pragma once

#include <chrono>
#include <optional>
#include <span>

#include "base/result.h"
#include "base/stop.h"
#include "websocket/channel.h"

namespace svc::cli {

/// Whether a connection that ended so may be brought back: it was lost, or the service had to
/// restart or is overloaded.
[[nodiscard]] bool may_come_back(const websocket::Close& close);

/// How long to wait before another attempt, after so many.
[[nodiscard]] std::chrono::milliseconds retry_pause(int attempts);

/// Waits as Channel::receive() does, where there is no channel: Ready or Nothing, or the stop's
/// fault. May return early.
[[nodiscard]] Result<websocket::Received> wait_readable(
    const Stop& stop, std::optional<websocket::Channel::Clock::time_point> until,
    std::span<const int> others);

}  // namespace svc::cli
