// Phone calls that are answered here.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "session.h"

namespace svc::cli {

/// Shows the conversation of the invocation's call as `realtime talk` does, until it ends or the
/// user leaves it. `first` are messages that go behind the session's settings.
[[nodiscard]] Result<void> run_call(Session& session, std::vector<std::string> first);

/// Ends a call; one that has ended already is no error.
[[nodiscard]] Result<void> hang_up(Session& session, const std::string& id);

}  // namespace svc::cli
