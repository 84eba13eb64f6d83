// Fields as JSON Schema, for the OpenAPI document.
#pragma once

#include "catalogue/model.h"
#include "json/document.h"

namespace svc::docgen {

/// What the wire takes for one value of the field; an open schema where no document says.
[[nodiscard]] OrderedJson schema_of(const Field& field);

/// The operation's requestBody; empty when it has none.
[[nodiscard]] OrderedJson body_of(const Operation& operation);

}  // namespace svc::docgen
