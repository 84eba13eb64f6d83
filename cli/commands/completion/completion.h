// Shell completion: the scripts and the command they call.
#pragma once

#include <string>
#include <vector>

#include "base/cancel_token.h"

namespace svc::cli {

/// The hidden command `svc __complete WORDS...`, called by the completion scripts: WORDS are the
/// arguments up to the cursor; the last may be empty. Prints `files PREFIX` where a path is
/// expected, else `words PREFIX`, where PREFIX is the part of the last word to keep; then one
/// candidate per line, with its description after a tab. Prints nothing if nothing can be
/// completed. The exit code is always 0.
[[nodiscard]] int run_complete(const std::vector<std::string>& words, const CancelToken& cancel);

}  // namespace svc::cli
