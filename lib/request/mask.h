// Updates by field mask, which lists the changed fields next to their values.
#pragma once

#include "base/result.h"
#include "json/document.h"
#include "request/inputs.h"

namespace svc::request {

/// The prefix of a field's path: "apiKey." for an update by mask, else "".
[[nodiscard]] std::string field_prefix(const Operation& operation);

/// The object with the operation's fields: the mask's wrapper, else the whole body.
[[nodiscard]] const OrderedJson& members_of(const Operation& operation, const OrderedJson& body);

/// Completes the body of an update by mask. The mask lists every field in the body or, if --body or
/// --set contains a mask, the fields of that mask and those set by flags; and the fields of
/// --clear, which are omitted from the wrapper. Usage if nothing would change, or a field is both
/// set and cleared. An update without a mask is only checked: Usage if nothing would change.
[[nodiscard]] Result<void> apply_mask(const Operation& operation, const Inputs& inputs,
                                      OrderedJson& body);

}  // namespace svc::request
