// Waits for descriptors, time or cancellation.
#pragma once

#include <chrono>
#include <optional>
#include <span>

#include <poll.h>

#include "base/cancel_token.h"
#include "base/result.h"

namespace svc {

/// Empty: no time limit.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// Waits until one of `fds` is ready (see `revents`); returns false if `until` passes first.
/// Descriptors of -1 are ignored. Returns the fault of `cancel` once it is canceled, and Local if
/// the system cannot wait.
[[nodiscard]] Result<bool> wait(std::span<pollfd> fds, Deadline until, const CancelToken& cancel);

/// Waits for one descriptor, or none with -1.
[[nodiscard]] Result<bool> wait_readable(int fd, Deadline until, const CancelToken& cancel);
[[nodiscard]] Result<bool> wait_writable(int fd, Deadline until, const CancelToken& cancel);

/// The time `time` from now.
[[nodiscard]] inline Deadline after(std::chrono::milliseconds time) {
  return std::chrono::steady_clock::now() + time;
}

}  // namespace svc
