// The operations of billing that look back.
#pragma once

#include "emulator/handler.h"

namespace svc::emulator::billing {

/// GET …/invoices; its three filters exclude one another (api 4 §10.2).
[[nodiscard]] Answer list_invoices(const Call& call);

/// POST …/usage: what was used, over time (api 4 §10.1).
[[nodiscard]] Answer report_usage(const Call& call);

}  // namespace svc::emulator::billing
