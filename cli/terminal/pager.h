// Shows long text in the user's pager.
#pragma once

#include <optional>
#include <string>

#include "base/cancel_token.h"
#include "base/program.h"
#include "base/result.h"
#include "client/settings.h"
#include "print/streams.h"

namespace svc::cli {

/// Writes `text` (safe for a terminal, perhaps in our own looks) to `out`. On a terminal, text
/// longer than the screen goes through $SVC_PAGER, $PAGER or less; no pager is used if the variable is empty or the terminal is
/// dumb.
[[nodiscard]] Result<void> show_paged(print::Out& out, const std::string& text,
                                      const Environment& environment, const CancelToken& cancel);

// A program that takes over the terminal: an editor or a pager.

/// Runs `script` with /bin/sh and `argument` as "$1", in this program's process group, so that it
/// shares the terminal and receives Ctrl-C. `input` is its standard input; nothing: it inherits
/// this program's. Errors as for run_program().
[[nodiscard]] Result<ProgramExit> run_in_foreground(const std::string& script,
                                                    const std::string& argument,
                                                    std::optional<std::string> input,
                                                    const CancelToken& cancel);

}  // namespace svc::cli
