// Video jobs, stored for a day.
#pragma once

#include "base/result.h"
#include "emulator/state/state.h"

namespace svc::emulator::videos {

/// Processes one due job that has an upload URL and therefore must not wait to be polled. Returns
/// false if there is none.
[[nodiscard]] Result<bool> process_upload(State& state);

}  // namespace svc::emulator::videos
