// A conversation on a terminal: `svc chat` and `svc responses` without a prompt.
#pragma once

#include "base/result.h"
#include "session/session.h"

namespace svc::cli {

/// Whether the command line starts an interactive conversation: it contains no prompt, input and
/// output are a terminal, and no flag asks for something other than text.
[[nodiscard]] bool wants_conversation(Session& session);

/// Runs the conversation until the user exits.
[[nodiscard]] Result<void> run_conversation(Session& session);

}  // namespace svc::cli
