// What a shell offers for values that only the service or the configuration knows: ids, models,
// permissions, profiles.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/cancel_token.h"
#include "session/session.h"

namespace svc::cli {

/// The hidden command `svc __complete SOURCE WORDS...`, which the completion scripts call. WORDS
/// are the command line so far: its profile and addresses count. Prints one candidate per line and
/// nothing else, ever; waits two seconds at most for the service, sends one or two requests, never
/// runs a key_command, and gives the same answer for a minute. The exit code is always 0.
///
/// SOURCE: profiles, models, language-models, acls, keys, collections, files, batches, voices,
/// payment-methods, phone-numbers, conversations, sessions, settings.
[[nodiscard]] int run_complete(const std::vector<std::string>& arguments,
                               const CancelToken& cancel);

/// The words of a source for a program that runs already, with its addresses and key; two seconds
/// at most, nothing when the service does not answer.
[[nodiscard]] std::vector<std::string> complete_words(Session& session, std::string_view source);

}  // namespace svc::cli
