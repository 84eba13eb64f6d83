// Realtime sessions, and the secrets that open them.
#pragma once

#include <memory>
#include <vector>

#include "emulator/handler.h"
#include "emulator/realtime/speech.h"

namespace svc::emulator {

/// POST /v1/realtime/client_secrets (api 2 §2.1, api 4 §9.1) and the socket /v1/realtime. Without
/// `speech` they have the usual one.
[[nodiscard]] std::vector<Route> realtime_routes(
    std::shared_ptr<const realtime::Speech> speech = nullptr);

}  // namespace svc::emulator
