// Converts the short flags of collections to chunk configuration, field definitions and their
// updates.
#pragma once

#include "base/result.h"
#include "json/document.h"
#include "request/inputs.h"

namespace svc::request {

/// Applies --chunk-…, --field, --add-field and --delete-field. Usage for two chunk strategies, a
/// size that the strategy does not have, an invalid field definition, or an added field that is
/// required. A request that removes values is marked destructive, with a warning.
[[nodiscard]] Result<void> compose_collection(const Inputs& inputs, OrderedJson& body,
                                              Request& request);

}  // namespace svc::request
