// Prompt templates of the profile: `svc chat -t summarize`.
#pragma once

#include "base/result.h"
#include "command_line/parse_args.h"
#include "session/session.h"

namespace svc::cli {

/// Applies the template that --template names: its values become the flags that were not given, and
/// its prompt precedes the given one. The session must be open. NotFound for an unknown template,
/// Usage if it sets a flag that the command does not have.
[[nodiscard]] Result<void> apply_template(const Session& session, Invocation& invocation);

/// Usage if a key of `one` is a flag of neither `svc chat` nor `svc responses`.
[[nodiscard]] Result<void> check_template(const std::string& name, const ConfigTemplate& one);

}  // namespace svc::cli
