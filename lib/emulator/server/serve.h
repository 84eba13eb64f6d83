// The program svc-emulator: from options to a served port, and to its end.
#pragma once

#include <string_view>

#include "base/result.h"
#include "emulator/server/options.h"

namespace svc::emulator {

/// Serves until SIGINT, SIGTERM, SIGHUP or the parent's end. Call it from the main thread, before
/// any other thread is started. `version` is for the start line.
[[nodiscard]] Result<void> serve(const Options& options, std::string_view version);

}  // namespace svc::emulator
