// Checks on the whole request: required fields, counts, conflicts and dependencies.
#pragma once

#include "base/result.h"
#include "json/document.h"
#include "request/inputs.h"

namespace svc::request {

/// Usage if the finished body or the flags break a rule of the operation, regardless of their
/// sources.
[[nodiscard]] Result<void> check_rules(const Operation& operation, const Inputs& inputs,
                                       const OrderedJson& body);

/// Appends the warnings of the rules that apply (RuleKind::Warns).
void add_warnings(const Operation& operation, const Inputs& inputs, const OrderedJson& members,
                  std::vector<std::string>& warnings);

/// Whether the request, with these members in its body, ends something (Operation::ends).
[[nodiscard]] bool ends_something(const Operation& operation, const Inputs& inputs,
                                  const OrderedJson& members);

/// Checks a local command, which has no body: values, required ones, rules.
[[nodiscard]] Result<void> check_local(const Operation& operation, const Inputs& inputs);

}  // namespace svc::request
