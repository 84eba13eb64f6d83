// Shell completion of values that only the service or the configuration knows: IDs, models,
// permissions, profiles.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/cancel_token.h"
#include "session/session.h"

namespace svc::cli {

/// Returns the values of a source: profiles, models, language-models, acls, keys, collections,
/// files, batches, voices, payment-methods, phone-numbers, conversations, sessions, settings. The
/// profile and URLs come from `words`, the command line so far. Waits at most two seconds for the
/// service, sends one or two requests, never runs a key_command, prints nothing, and caches the
/// result for a minute.
[[nodiscard]] std::vector<std::string> values_behind_tab(std::string_view source,
                                                         const std::vector<std::string>& words,
                                                         const CancelToken& cancel);

/// Returns a source's values for a running program, with its URLs and key; takes at most two
/// seconds, and returns nothing if the service does not respond.
[[nodiscard]] std::vector<std::string> complete_words(Session& session, std::string_view source);

}  // namespace svc::cli
