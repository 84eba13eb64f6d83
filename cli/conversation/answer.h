// `svc chat` and `svc responses`: one answer, or a conversation.
#pragma once

#include "base/result.h"
#include "session/session.h"

namespace svc::cli {

/// Runs the invocation's turn and prints the answer, saved only where a flag or the profile asks
/// for that; without a prompt on a terminal, starts the interactive prompt instead. A job that was
/// submitted (`--deferred`) is waited for or reported.
[[nodiscard]] Result<void> run_answer(Session& session);

}  // namespace svc::cli
