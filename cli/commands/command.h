// The commands that need their own code; all others are run by the generic runner.
#pragma once

#include "base/result.h"
#include "session/session.h"

namespace svc::cli {

/// Runs the session's invocation: opens the session, runs the command or the operation, and closes
/// the output. `invocation` is the session's own; a prompt template may add to it.
[[nodiscard]] Result<void> run_invocation(Session& session, Invocation& invocation);

/// Runs a command that needs its own code. Each command defines it for its handler.
template <Handler handler>
[[nodiscard]] Result<void> run(Session& session);

/// The hidden command `svc __complete WORDS...`, called by the completion scripts: WORDS are the
/// arguments up to the cursor; the last may be empty. Prints `files PREFIX` where a path is
/// expected, else `words PREFIX`, where PREFIX is the part of the last word to keep; then one
/// candidate per line, with its description after a tab. Prints nothing if nothing can be
/// completed. The exit code is always 0.
[[nodiscard]] int run_complete(const std::vector<std::string>& words, const CancelToken& cancel);

}  // namespace svc::cli
