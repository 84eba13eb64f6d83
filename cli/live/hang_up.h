// Ending a phone call.
#pragma once

#include <string>

#include "base/result.h"
#include "session/session.h"

namespace svc::cli {

/// Ends the call `id` (`POST /v1/realtime/calls/{call_id}/hangup`); one that has ended already is
/// not an error.
[[nodiscard]] Result<void> hang_up(Session& session, const std::string& id);

}  // namespace svc::cli
