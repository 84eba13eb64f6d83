// Fields as JSON Schema, for the OpenAPI document.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "catalogue/model.h"

namespace svc::docgen {

/// What the wire takes for one value of the field; an open schema where no document says.
[[nodiscard]] nlohmann::ordered_json schema_of(const Field& field);

/// The operation's requestBody; empty when it has none.
[[nodiscard]] nlohmann::ordered_json body_of(const Operation& operation);

}  // namespace svc::docgen
