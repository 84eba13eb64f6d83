// What a shell offers for values that only the service or the configuration knows: ids, models,
// permissions, profiles.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/cancel_token.h"
#include "session/session.h"

namespace svc::cli {

/// The values of a source: profiles, models, language-models, acls, keys, collections, files,
/// batches, voices, payment-methods, phone-numbers, conversations, sessions, settings. Of `words`,
/// the command line so far, the profile and the addresses count. Waits two seconds at most for the
/// service, sends one or two requests, never runs a key_command, says nothing, and gives the same
/// answer for a minute.
[[nodiscard]] std::vector<std::string> values_behind_tab(std::string_view source,
                                                         const std::vector<std::string>& words,
                                                         const CancelToken& cancel);

/// The words of a source for a program that runs already, with its addresses and key; two seconds
/// at most, nothing when the service does not answer.
[[nodiscard]] std::vector<std::string> complete_words(Session& session, std::string_view source);

}  // namespace svc::cli
