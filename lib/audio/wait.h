// Waiting for a descriptor or for time, until somebody asks to end.
#pragma once

#include <optional>

#include "audio/format.h"
#include "base/cancel_token.h"
#include "base/result.h"

namespace svc::audio {

/// Until `fd` (or -1) can be read or `until` has passed. The stop's fault once it asks.
[[nodiscard]] Result<void> wait_readable(int fd, const CancelToken& cancel,
                                         std::optional<Clock::time_point> until);

/// The stop as an error, or nothing.
[[nodiscard]] Result<void> check_stop(const CancelToken& cancel);

}  // namespace svc::audio
