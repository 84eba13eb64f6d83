// Verbs that people type from habit with another tool: aliases, synonyms, and the refusal of a lone
// word that was probably meant as a verb.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalogue/catalogue.h"
#include "command_line/flags.h"

namespace svc::cli {

/// The operation of that name, of one word or two; `ls`, `rm` and `show` are `list`, `delete` (or
/// `remove`) and `get`. Null when the group has none.
[[nodiscard]] const Operation* find_verb(const Group& group, sv name);

/// The verb of the group that `word` was probably meant as: a synonym or the nearest name; empty
/// when there is none.
[[nodiscard]] std::string likely_verb(const Group& group, sv word);

/// `cut` goes to the group's default verb because its first word is not a verb of the group. A
/// lone word that is a verb elsewhere (`svc videos list`), or nearly one here, would be sent as a
/// prompt and billed: Usage, with the verbs, and with `-- WORD` for a word that is meant.
[[nodiscard]] std::optional<Error> refuse_lone_verb(const Group& group,
                                                    const Operation& default_verb, const Cut& cut);

/// What to type instead of a word that is not a group: `svc auth login` for `login`. Empty when
/// nothing fits.
[[nodiscard]] std::string likely_command(sv word);

}  // namespace svc::cli
