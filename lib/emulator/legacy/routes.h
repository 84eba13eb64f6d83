// The older text operations (api 1 §2.10, api 4 §5), built on what chat is built on.
#pragma once

#include <vector>

#include "emulator/handler.h"
#include "emulator/text/routes.h"

namespace svc::emulator {

/// POST /v1/completions, /v1/messages and /v1/complete.
[[nodiscard]] std::vector<Route> legacy_routes(TextOptions options = {});

}  // namespace svc::emulator
