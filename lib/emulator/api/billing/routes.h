// The operations of billing.
#pragma once

#include <vector>

#include "emulator/handler/handler.h"

namespace svc::emulator {

/// The ten operations under /v1/billing, the usage report, and
/// POST /_emulator/credit `{"cents": N}`, which sets the demo team's prepaid credit.
[[nodiscard]] std::vector<Route> billing_routes();

}  // namespace svc::emulator
