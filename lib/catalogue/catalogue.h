// The catalogue: every operation, in the order of the groups in help.
#pragma once

#include <span>
#include <string>

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

/// The operation of `group` and verb words joined by blanks, or null.
[[nodiscard]] const Operation* find_operation(sv group, sv name);

/// The verb that may be left out, or null.
[[nodiscard]] const Operation* default_operation(const Group& group);

/// The field with that flag, or null.
[[nodiscard]] const Field* find_field(const Operation& operation, sv flag);

/// The flag that people use for a member: the shorter one, where there is one.
[[nodiscard]] const Field& handier_field(const Operation& operation, const Field& field);

/// "chat create", or "chat" when the operation is the group's default and `brief` is true.
[[nodiscard]] std::string command_name(const Operation& operation, bool brief = false);

}  // namespace svc
