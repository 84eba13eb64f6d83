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

/// Usage when a name in `one` is a flag of neither `svc chat` nor `svc responses`.
[[nodiscard]] Result<void> check_template(const std::string& name, const ConfigTemplate& one);

}  // namespace svc::cli
