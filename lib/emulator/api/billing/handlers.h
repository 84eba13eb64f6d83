// The operations of billing that look back.
#pragma once

#include "emulator/handler/handler.h"

namespace svc::emulator::billing {

/// GET …/invoices; its three filters exclude one another.
[[nodiscard]] Answer list_invoices(const Call& call);

/// POST …/usage: what was used, over time.
[[nodiscard]] Answer report_usage(const Call& call);

}  // namespace svc::emulator::billing
