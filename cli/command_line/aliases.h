// Commands of the user's own, and the command of a text in place of one.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "client/config_file.h"

namespace svc::cli {

/// The arguments with what stands for a command replaced: an alias by its expansion, or, if the
/// profile has a default_command, a text by that command and the text. Reads the configuration only
/// if the first word is not a command of svc. Usage if the alias needs more arguments or only a
/// similar one exists; the configuration's error if it cannot be read.
[[nodiscard]] Result<std::vector<std::string>> expand_command(
    const std::vector<std::string>& arguments);

/// The same for a line that is being typed: only aliases, without their placeholders. `words` if
/// something is wrong.
[[nodiscard]] std::vector<std::string> expand_typed(const std::vector<std::string>& words);

/// Usage if the name is a command of svc or not a name, or if the expansion has an open quote or
/// does not begin with a command and flags that exist.
[[nodiscard]] Result<void> check_alias(const std::string& name, const std::string& expansion);

/// The user's aliases; none if the configuration cannot be read.
[[nodiscard]] ConfigFile::Profile known_aliases();

}  // namespace svc::cli
