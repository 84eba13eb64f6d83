// Every operation that the emulator has.
#pragma once

#include <vector>

#include "emulator/api/videos/routes.h"
#include "emulator/handler/handler.h"

namespace svc::emulator {

/// The service's operations, without the emulator's own ones (control.h).
[[nodiscard]] std::vector<Route> all_routes(const VideoOptions& videos = {});

}  // namespace svc::emulator
