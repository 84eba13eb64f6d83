// The operations on batches. What they add is worked off by worker.h.
#pragma once

#include <vector>

#include "emulator/handler/handler.h"

namespace svc::emulator {

/// POST and GET /v1/batches, GET /v1/batches/{batch_id}, POST and GET of its requests, GET of its
/// results, POST :cancel. The header `x-emulator-delay-ms` of an add call tells how long its
/// requests take.
[[nodiscard]] std::vector<Route> batch_routes();

}  // namespace svc::emulator
