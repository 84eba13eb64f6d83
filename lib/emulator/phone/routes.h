// Phone numbers, call control, and the emulator's own way to have a call come in.
#pragma once

#include <vector>

#include "emulator/handler.h"

namespace svc::emulator {

/// /v2/phone-numbers (api 4 §9.9), /v1/realtime/calls/{call_id}/refer and /hangup (api 2 §4),
/// POST /_emulator/calls and GET /_emulator/calls/{call_id} (phone/incoming.cpp).
[[nodiscard]] std::vector<Route> phone_routes();

}  // namespace svc::emulator
