// A realtime session as lines of JSON, in and out.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "live/jsonl_session.h"
#include "session/session.h"

namespace svc::cli {

/// Runs the invocation's session until the input is over or the service closes it. `say` are
/// messages that go behind the session's settings.
[[nodiscard]] Result<void> run_realtime_lines(Session& session, const std::vector<std::string>& say,
                                              JsonlSessionOptions options);

}  // namespace svc::cli
