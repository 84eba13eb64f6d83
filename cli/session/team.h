// The team that management operations act on.
#pragma once

#include <string>

#include "base/result.h"
#include "session/session.h"

namespace svc::cli {

/// The configured team; else the one that the management key, or else the API key, belongs to,
/// which is asked once and then holds for this run. Usage when neither tells.
[[nodiscard]] Result<std::string> find_team(Session& session);

}  // namespace svc::cli
