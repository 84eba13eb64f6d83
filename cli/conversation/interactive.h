// The interactive conversation of `svc chat` and `svc responses`.
#pragma once

#include "base/result.h"
#include "session/session.h"

namespace svc::cli {

/// Whether the command line starts an interactive conversation: it contains no prompt, input and
/// output are a terminal, and no flag asks for something other than text.
[[nodiscard]] bool is_interactive_chat(Session& session);

/// Runs such a conversation until the user exits.
[[nodiscard]] Result<void> run_conversation(Session& session);

}  // namespace svc::cli
