// The older text operations, built on what chat is built on.
#pragma once

#include <vector>

#include "emulator/api/text/routes.h"
#include "emulator/handler/handler.h"

namespace svc::emulator {

/// POST /v1/completions, /v1/messages and /v1/complete.
[[nodiscard]] std::vector<Route> legacy_routes(TextOptions options = {});

}  // namespace svc::emulator
