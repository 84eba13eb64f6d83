// Updates by mask: which members change is said beside the members.
#pragma once

#include "base/result.h"
#include "json/document.h"
#include "request/inputs.h"

namespace svc::request {

/// What stands before the path of a member: "apiKey." for an update by mask, else "".
[[nodiscard]] std::string member_prefix(const Operation& operation);

/// The object that holds the operation's members: the mask's wrapper, else all of the body.
[[nodiscard]] const OrderedJson& members_of(const Operation& operation, const OrderedJson& body);

/// Completes the body of an update by mask: the mask names every member that is there, or, where
/// the user gave a mask by --body or --set, those and the members that flags set; and the members
/// that --clear names, which are left out of the wrapper. Usage when nothing would change, or a
/// member is both set and cleared. An update without a mask is only looked at: Usage when nothing
/// would change.
[[nodiscard]] Result<void> apply_mask(const Operation& operation, const Inputs& inputs,
                                      OrderedJson& body);

}  // namespace svc::request
