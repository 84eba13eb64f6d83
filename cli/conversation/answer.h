// `svc chat` and `svc responses`: one answer, or an interactive conversation.
#pragma once

#include "base/result.h"
#include "session/session.h"

namespace svc::cli {

/// Runs the invocation's turn and prints the answer, which is saved only if a flag or the profile
/// says so. Without a prompt on a terminal, starts the interactive prompt instead. A deferred job
/// (`--deferred`) is waited for or reported.
[[nodiscard]] Result<void> run_answer(Session& session);

/// Whether the command line starts an interactive conversation: it contains no prompt, input and
/// output are a terminal, and no flag asks for something other than text.
[[nodiscard]] bool is_interactive_chat(Session& session);

/// Runs such a conversation until the user exits (interactive.cpp).
[[nodiscard]] Result<void> run_conversation(Session& session);

}  // namespace svc::cli
