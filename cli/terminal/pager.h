// A long text on a terminal, in the user's pager.
#pragma once

#include <optional>
#include <string>

#include "base/cancel_token.h"
#include "base/program.h"
#include "base/result.h"
#include "client/settings.h"
#include "print/streams.h"

namespace svc::cli {

/// Writes `text` (from outside: made harmless for a terminal) to `out`. What is longer than the
/// screen goes through $SVC_PAGER, $PAGER or less; an empty one, and a dumb terminal, have none.
[[nodiscard]] Result<void> show_paged(print::Out& out, const std::string& text,
                                      const Environment& environment, const CancelToken& cancel);

// A program that has the terminal for a while: an editor, a pager.

/// Runs `script` by /bin/sh with `argument` as "$1", in this program's process group: the terminal
/// is its as well, and Ctrl-C means it. `input` goes to its standard input; nothing: that is this
/// program's. Errors as run_program().
[[nodiscard]] Result<ProgramEnd> run_in_foreground(const std::string& script,
                                                   const std::string& argument,
                                                   std::optional<std::string> input,
                                                   const CancelToken& cancel);

}  // namespace svc::cli
