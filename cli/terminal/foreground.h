// A program that has the terminal for a while: an editor, a pager.
#pragma once

#include <optional>
#include <string>

#include "base/cancel_token.h"
#include "base/program.h"
#include "base/result.h"

namespace svc::cli {

/// Runs `script` by /bin/sh with `argument` as "$1", in this program's process group: the terminal
/// is its as well, and Ctrl-C means it. `input` goes to its standard input; nothing: that is this
/// program's. Errors as run_program().
[[nodiscard]] Result<ProgramEnd> run_in_foreground(const std::string& script,
                                                   const std::string& argument,
                                                   std::optional<std::string> input,
                                                   const CancelToken& cancel);

}  // namespace svc::cli
