// What people type who know other tools, and what it is here: one table of commands, verbs and
// flags, for what svc accepts and for its hints.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalogue/catalogue.h"
#include "command_line/flags.h"

namespace svc::cli {

struct Guess {
  /// "": a command; "*": a verb or flag of any command, or a flag before it; otherwise commands or
  /// groups, "chat|images edit".
  sv at;
  sv typed;  ///< the word; a flag with its dashes
  /// Flags or verbs, of which the first that the command has applies: "--instructions|--system"; a
  /// command: "svc auth login"; or, with a backtick in it, the hint itself.
  sv means;
  bool accepted = false;  ///< works like what it means
};

/// The hint for `--json id,name`.
inline constexpr sv k_json_takes_no_value =
    "--json takes no value: --columns and --jq choose what is shown.";

/// The table. Of several rows for a word the first that applies counts.
[[nodiscard]] std::span<const Guess> guesses();

/// The flag that `typed` ("--temp", "-a") works like at the operation, or, if it is null, before a
/// command; unknown if there is none.
[[nodiscard]] Flag find_accepted_flag(const Operation* operation, sv typed);

/// The flag for an attachment that was given without its kind: --image for an image's content, name
/// or URL, otherwise `flag`, which is --file. Reads the beginning of a file.
[[nodiscard]] Flag attachment_flag(const Operation* operation, const Flag& flag,
                                   const std::string& value);

/// The hint for an unknown flag, as typed; "" if the table has none.
[[nodiscard]] std::string flag_hint(const Operation* operation, sv typed);

/// The operation of that name, of one or two words, or of an accepted one such as `ls`. Null if the
/// group has no such verb.
[[nodiscard]] const Operation* find_verb(const Group& group, sv name);

/// The hint for a verb that the group does not have, from the table or by the nearest name; "" if
/// there is none.
[[nodiscard]] std::string verb_hint(const Group& group, sv word);

/// Checks arguments for the group's default verb. A single word that is a verb of another group
/// (`svc videos list`), or similar to one of this group, would be sent as a prompt and billed:
/// returns Fault::Usage with the verbs, and a hint to use `-- WORD` if the word is the prompt.
[[nodiscard]] std::optional<Error> refuse_lone_verb(const Group& group,
                                                    const Operation& default_verb, const Cut& cut);

/// The command that a word that is not a group means: `svc auth login` for `login`. Empty if there
/// is none.
[[nodiscard]] std::string nearest_command(sv word);

/// Whether the table has the word as a command.
[[nodiscard]] bool is_guess(sv word);

/// The hint for a word, or a flag before the command, that is not known there; "" if there is none.
[[nodiscard]] std::string command_hint(sv word);

}  // namespace svc::cli
