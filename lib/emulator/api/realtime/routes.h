// Realtime sessions, and the secrets that open them.
#pragma once

#include <memory>
#include <vector>

#include "emulator/api/realtime/speech.h"
#include "emulator/handler/handler.h"

namespace svc::emulator {

/// POST /v1/realtime/client_secrets and the socket /v1/realtime. Without
/// `speech` they have the usual one.
[[nodiscard]] std::vector<Route> realtime_routes(
    std::shared_ptr<const realtime::Speech> speech = nullptr);

}  // namespace svc::emulator
