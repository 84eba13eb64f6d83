// What a shell offers for values that only the service or the configuration knows: ids, models,
// permissions, profiles.
#pragma once

#include <string>
#include <vector>

#include "base/stop.h"

namespace svc::cli {

/// The hidden command `svc __complete SOURCE WORDS...`, which the completion scripts call. WORDS
/// are the command line so far: its profile and addresses count. Prints one candidate per line and
/// nothing else, ever; takes two seconds at most, sends one request at most per source, never runs
/// a key_command, and gives the same answer for a minute. The exit code is always 0.
///
/// SOURCE: profiles, models, acls, keys, collections, files, batches, voices, payment-methods.
[[nodiscard]] int run_complete(const std::vector<std::string>& arguments, const Stop& stop);

}  // namespace svc::cli
