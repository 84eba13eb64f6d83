// Short flags of collections -> chunk configuration, field definitions and their updates.
#pragma once

#include "base/result.h"
#include "json/document.h"
#include "request/inputs.h"

namespace svc::request {

/// Adds what --chunk-…, --field, --add-field and --delete-field stand for. Usage for two chunk
/// strategies, a size that the strategy does not have, a field definition that cannot be read, and
/// an added field that is required. A request that removes values becomes a destructive one, with
/// a warning.
[[nodiscard]] Result<void> compose_collection(const Inputs& inputs, OrderedJson& body,
                                              Request& request);

}  // namespace svc::request
