// The REST side of realtime sessions.
#pragma once

#include <vector>

#include "emulator/handler.h"

namespace svc::emulator {

/// POST /v1/realtime/client_secrets (api 2 §2.1, api 4 §9.1).
[[nodiscard]] std::vector<Route> realtime_routes();

}  // namespace svc::emulator
