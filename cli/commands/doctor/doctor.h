// `svc doctor`.
#pragma once

#include <span>

#include "base/result.h"
#include "commands/doctor/report.h"
#include "session/session.h"

namespace svc::cli {

/// Prints the report and its hints, and returns verdict().
[[nodiscard]] Result<void> finish_call(Session& session, std::span<const Finding> findings);

}  // namespace svc::cli
