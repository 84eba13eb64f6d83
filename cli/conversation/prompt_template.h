// Prompt templates of the profile: `svc chat -t summarize`.
#pragma once

#include <vector>

#include "base/result.h"
#include "command_line/parse_args.h"
#include "session/session.h"

namespace svc::cli {

/// Fills in what the template says that --template names: the flags that were not given, and its
/// prompt before the one that was. The session is open. NotFound when there is no such template,
/// Usage when it names a flag that the command does not have.
[[nodiscard]] Result<void> apply_template(const Session& session, Invocation& invocation);

}  // namespace svc::cli
