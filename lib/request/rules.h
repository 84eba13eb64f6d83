// Checks on the whole request: required members, counts, exclusive and dependent ones.
#pragma once

#include "base/result.h"
#include "json/document.h"
#include "request/inputs.h"

namespace svc::request {

/// Usage when the finished body or the flags break a rule of the operation, wherever its two sides
/// come from.
[[nodiscard]] Result<void> check_rules(const Operation& operation, const Inputs& inputs,
                                       const OrderedJson& body);

/// The same for a command of the tool itself, which has no body: values, required ones, rules.
[[nodiscard]] Result<void> check_local(const Operation& operation, const Inputs& inputs);

}  // namespace svc::request
