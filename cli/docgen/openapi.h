// The catalogue as an OpenAPI 3.1 document, for validators, generators and mock servers.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "catalogue/catalogue.h"
#include "catalogue/model.h"
#include "json/document.h"

namespace svc::docgen {

/// The document, as JSON text: every HTTP operation with its parameters and body, and each
/// WebSocket as the request that opens it. Hosts are variables, as they are not public. Bodies
/// allow additional fields: the service accepts undocumented ones.
[[nodiscard]] std::string openapi_document(std::span<const Group> groups, std::string_view version);

// Fields as JSON Schema, for the OpenAPI document.

/// The schema of one value of the field as sent; an empty object if its type is undocumented.
[[nodiscard]] OrderedJson schema_of(const Field& field);

/// The schema of all values of the field: an array if it may be repeated. Each of several files is
/// a request of its own.
[[nodiscard]] OrderedJson values_schema(const Field& field);

/// The operation's requestBody; empty when it has none.
[[nodiscard]] OrderedJson body_of(const Operation& operation);

}  // namespace svc::docgen
