// The emulator's own operations, for scripts under test: faults and the log of requests.
#pragma once

#include <vector>

#include "emulator/control/faults.h"
#include "emulator/control/request_log.h"
#include "emulator/handler/handler.h"

namespace svc::emulator {

/// GET, POST and DELETE /_emulator/faults; GET /_emulator/requests?since=N. They need no key. Both
/// references must outlive the routes.
[[nodiscard]] std::vector<Route> control_routes(FaultBook& faults, const RequestLog& log);

/// Why a request to /_emulator/ is refused, or "": it must come from this machine, name it as its
/// host, and not come from a web page.
[[nodiscard]] std::string refuse_control(const HttpCall& call);

}  // namespace svc::emulator
