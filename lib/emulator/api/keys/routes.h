// The management of keys, and what a team's keys may use.
#pragma once

#include <vector>

#include "emulator/handler/handler.h"

namespace svc::emulator {

/// The eight operations under /auth and GET /auth/management-keys/validation.
[[nodiscard]] std::vector<Route> key_routes();

}  // namespace svc::emulator
