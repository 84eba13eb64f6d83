// Realtime sessions, for commands that join one.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "live/jsonl_session.h"
#include "session/session.h"

namespace svc::cli {

/// Runs the conversation of the invocation's call like `realtime talk`, until it ends or the user
/// leaves. `first` are events sent after the session's settings.
[[nodiscard]] Result<void> run_call(Session& session, std::vector<std::string> first);

/// Runs the invocation's session as JSON Lines, until the input ends or the service closes it.
/// `say` are events sent after the session's settings.
[[nodiscard]] Result<void> run_realtime_lines(Session& session, const std::vector<std::string>& say,
                                              JsonlSessionOptions options);

}  // namespace svc::cli
