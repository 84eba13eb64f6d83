// The catalogue: every operation, in the order of the groups in help.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "catalogue/model.h"

namespace svc {

struct Group {
  sv name;
  sv summary;  ///< one sentence
  std::span<const Operation> operations;
};

/// All groups. Static storage.
[[nodiscard]] std::span<const Group> groups();

[[nodiscard]] const Group* find_group(sv name);

/// The names of all models, and of those with text output, which not every deployment lists; the
/// management key in use. They have no command.
extern const Operation k_plain_models, k_language_models, k_calling_key;

/// The names of groups, operations or other rows that have one.
[[nodiscard]] std::vector<sv> names_of(const auto& rows) {
  std::vector<sv> names;
  for (const auto& row : rows) names.push_back(row.name);
  return names;
}

/// The operation of `group` with the verb `name` (words separated by spaces), or null.
[[nodiscard]] const Operation* find_operation(sv group, sv name);

/// The group's default verb, or null.
[[nodiscard]] const Operation* default_operation(const Group& group);

/// The field with that flag, or null.
[[nodiscard]] const Field* find_field(const Operation& operation, sv flag);

/// The common alias of the field's flag if there is one, otherwise `field`.
[[nodiscard]] const Field& preferred_field(const Operation& operation, const Field& field);

/// The field's help, with how its value is given on a command line: programs that call the
/// operation in another way read `help` alone.
[[nodiscard]] std::string command_line_help(const Field& field);

/// Whether text shows the operation's answer, or svc's own items, as a list.
[[nodiscard]] bool prints_list(const Operation& operation);

/// Whether the operation's JSON is an array. A local command's list may be in a document.
[[nodiscard]] bool prints_array(const Operation& operation);

/// The members of what the operation prints as JSON: of its answer, or of svc's own items.
[[nodiscard]] std::span<const Member> printed_members(const Operation& operation);

/// "chat create", or "chat" when the operation is the group's default and `brief` is true.
[[nodiscard]] std::string command_name(const Operation& operation, bool brief = false);

}  // namespace svc
