// The table of commands in README.md.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "catalogue/catalogue.h"

namespace svc::docgen {

inline constexpr sv k_commands_begin = "<!-- commands:begin -->";
inline constexpr sv k_commands_end = "<!-- commands:end -->";

/// A Markdown table, a row per operation; observed ones carry a dagger, explained below the table.
[[nodiscard]] std::string command_table(std::span<const Group> groups);

/// `readme` with everything between the two marker lines replaced by `table`. Local when the
/// markers are not there once each and in order.
[[nodiscard]] Result<std::string> with_command_table(sv readme, sv table);

}  // namespace svc::docgen
