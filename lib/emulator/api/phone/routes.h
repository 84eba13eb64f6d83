// Phone numbers, call control, and the emulator's own way to have a call come in.
#pragma once

#include <vector>

#include "emulator/handler/handler.h"

namespace svc::emulator {

/// /v2/phone-numbers, /v1/realtime/calls/{call_id}/refer and /hangup,
/// POST /_emulator/calls and GET /_emulator/calls/{call_id} (phone/incoming.cpp).
[[nodiscard]] std::vector<Route> phone_routes();

}  // namespace svc::emulator
