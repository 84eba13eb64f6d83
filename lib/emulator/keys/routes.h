// The management of keys, and what a team's keys may use.
#pragma once

#include <vector>

#include "emulator/handler.h"

namespace svc::emulator {

/// The eight operations under /auth (api 3 §4) and GET /auth/management-keys/validation (api 4
/// §10.1).
[[nodiscard]] std::vector<Route> key_routes();

}  // namespace svc::emulator
