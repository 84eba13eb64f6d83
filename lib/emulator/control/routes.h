// The emulator's own operations, for scripts under test: faults and the log of requests.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "emulator/control/answers.h"
#include "emulator/control/faults.h"
#include "emulator/control/request_log.h"
#include "emulator/handler/handler.h"

namespace svc::emulator {

/// What the control routes read and change; it must outlive them.
struct Controls {
  FaultBook& faults;
  AnswerBook& answers;
  RequestLog& log;
  std::function<Result<void>()> reset_state;
};

/// GET, POST and DELETE of /_emulator/faults and /_emulator/answers; GET
/// /_emulator/requests?since=N; POST /_emulator/reset, which forgets all of these and the state;
/// and GET /health. They need no key.
[[nodiscard]] std::vector<Route> control_routes(const Controls& controls);

/// Why a request to /_emulator/ is refused, or "": it must come from this machine, name it as its
/// host, and not come from a web page.
[[nodiscard]] std::string refuse_control(const HttpCall& call);

}  // namespace svc::emulator
