// The shells' side of completion: the scripts, and what they ask.
#pragma once

#include <string>
#include <vector>

#include "base/cancel_token.h"

namespace svc::cli {

/// The hidden command `svc __complete WORDS...`, which the completion scripts call: WORDS are the
/// arguments up to the cursor, the last one perhaps empty. Prints `files PREFIX` where paths may
/// stand, else `words PREFIX`; PREFIX is the beginning of the last word that stays. Then one
/// candidate per line, with what it means behind a tab. Nothing at all where nothing can stand, and
/// never anything else: the exit code is 0.
[[nodiscard]] int run_complete(const std::vector<std::string>& words, const CancelToken& cancel);

}  // namespace svc::cli
