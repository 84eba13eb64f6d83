// `svc chat` and `svc responses`: one answer.
#pragma once

#include "base/result.h"
#include "session/session.h"

namespace svc::cli {

/// Runs the invocation's turn and prints the answer, which is saved only if a flag or the profile
/// says so. Without a prompt on a terminal, starts the interactive prompt instead. A deferred job
/// (`--deferred`) is waited for or reported.
[[nodiscard]] Result<void> run_answer(Session& session);

}  // namespace svc::cli
