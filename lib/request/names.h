// Operations and flags by name, with the errors for names that do not exist.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "catalogue/catalogue.h"
#include "request/inputs.h"

namespace svc::request {

/// Usage with the nearest name, or all of them.
[[nodiscard]] Error unknown_group(sv word);
/// `hint` replaces that of a verb that is not a part of one.
[[nodiscard]] Error unknown_verb(const Group& group, sv word, std::string hint = {});

/// The flag that `word`, with dashes in front, probably means; "" if there is none. Without an
/// operation, only flags that every command accepts.
[[nodiscard]] std::string nearest_flag(const Operation* operation, sv word);
/// Usage with that flag, or how to list all of them.
[[nodiscard]] Error unknown_flag(const Operation* operation, sv word);

/// The operation of that name, "files list", or "chat" for the default verb. Usage if there is
/// none.
[[nodiscard]] Result<const Operation*> find_by_name(sv name);

/// A flag and its value. Underscores in the name are equivalent to dashes.
struct NamedValue {
  sv name;
  sv value;
};

/// The inputs of a request from flags by name, among them "body", "set" and "header". Values are
/// literal: @ and - mean nothing. Usage for an unknown flag, one given too often, and a local one
/// that is not in `local`.
[[nodiscard]] Result<Inputs> inputs_by_name(const Operation& operation,
                                            std::span<const NamedValue> values,
                                            std::span<const sv> local = {});

}  // namespace svc::request
