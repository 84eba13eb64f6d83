// Realtime sessions, for commands that join one.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "live/jsonl_session.h"
#include "session/session.h"

namespace svc::cli {

/// Shows the conversation of the invocation's call as `realtime talk` does, until it ends or the
/// user leaves it. `first` are messages that go behind the session's settings.
[[nodiscard]] Result<void> run_call(Session& session, std::vector<std::string> first);

/// The invocation's session as lines of JSON, until the input is over or the service closes it.
/// `say` are messages that go behind the session's settings.
[[nodiscard]] Result<void> run_realtime_lines(Session& session, const std::vector<std::string>& say,
                                              JsonlSessionOptions options);

}  // namespace svc::cli
