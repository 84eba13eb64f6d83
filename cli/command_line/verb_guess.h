// Verbs that users know from other tools: aliases, synonyms, and the error for a single word that
// is probably a verb.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalogue/catalogue.h"
#include "command_line/flags.h"

namespace svc::cli {

/// The operation of that name, of one or two words; `ls`, `rm` and `show` are aliases of `list`,
/// `delete` (or `remove`) and `get`. Null if the group has no such verb.
[[nodiscard]] const Operation* find_verb(const Group& group, sv name);

/// The verb of the group that `word` probably means: a synonym or the nearest name; empty if there
/// is none.
[[nodiscard]] std::string nearest_verb(const Group& group, sv word);

/// Checks arguments for the group's default verb. A single word that is a verb of another group
/// (`svc videos list`), or similar to one of this group, would be sent as a prompt and billed:
/// returns Fault::Usage with the verbs, and a hint to use `-- WORD` if the word is the prompt.
[[nodiscard]] std::optional<Error> refuse_lone_verb(const Group& group,
                                                    const Operation& default_verb, const Cut& cut);

/// The command to suggest for a word that is not a group: `svc auth login` for `login`. Empty if
/// there is none.
[[nodiscard]] std::string nearest_command(sv word);

}  // namespace svc::cli
