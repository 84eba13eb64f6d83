// The one wait for descriptors, for time and for a request to end.
#pragma once

#include <chrono>
#include <optional>
#include <span>

#include <poll.h>

#include "base/cancel_token.h"
#include "base/result.h"

namespace svc {

/// Nothing: without end.
using WaitEnd = std::optional<std::chrono::steady_clock::time_point>;

/// Waits until one of `fds` is ready, which their `revents` tell, or `until` has passed: then
/// false. A descriptor of -1 counts not. The fault of `cancel` once that asks. Local when the
/// system cannot wait.
[[nodiscard]] Result<bool> wait(std::span<pollfd> fds, WaitEnd until, const CancelToken& cancel);

/// The same for one descriptor, or for none.
[[nodiscard]] Result<bool> wait_readable(int fd, WaitEnd until, const CancelToken& cancel);
[[nodiscard]] Result<bool> wait_writable(int fd, WaitEnd until, const CancelToken& cancel);

/// From now on.
[[nodiscard]] inline WaitEnd after(std::chrono::milliseconds time) {
  return std::chrono::steady_clock::now() + time;
}

}  // namespace svc
