// A spoken conversation, for commands that join one.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "session/session.h"

namespace svc::cli {

/// Shows the conversation of the invocation's call as `realtime talk` does, until it ends or the
/// user leaves it. `first` are messages that go behind the session's settings.
[[nodiscard]] Result<void> run_call(Session& session, std::vector<std::string> first);

}  // namespace svc::cli
