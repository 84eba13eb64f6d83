// Completion scripts for bash, zsh and fish, made from the catalogue. They complete groups, verbs,
// flags, choices and files; they never start svc.
#pragma once

#include <span>
#include <string>

#include "catalogue/catalogue.h"

namespace svc::docgen {

[[nodiscard]] std::string bash_completion(std::span<const Group> groups);
[[nodiscard]] std::string zsh_completion(std::span<const Group> groups);
[[nodiscard]] std::string fish_completion(std::span<const Group> groups);

/// The script for "bash", "zsh" or "fish"; empty for another shell.
[[nodiscard]] std::string completion_script(sv shell, std::span<const Group> groups);

}  // namespace svc::docgen
