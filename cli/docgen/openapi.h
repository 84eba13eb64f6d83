// The catalogue as an OpenAPI 3.1 document, for validators, generators and mock servers.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "catalogue/catalogue.h"
#include "catalogue/model.h"
#include "json/document.h"

namespace svc::docgen {

/// Every operation that goes over HTTP, with its parameters and body; a socket as the request that
/// opens it. The hosts are variables, as nobody publishes them. Bodies stay open: the service takes
/// members that no document names. JSON text.
[[nodiscard]] std::string openapi_document(std::span<const Group> groups, std::string_view version);

// Fields as JSON Schema, for the OpenAPI document.

/// What the wire takes for one value of the field; an open schema where no document says.
[[nodiscard]] OrderedJson schema_of(const Field& field);

/// The operation's requestBody; empty when it has none.
[[nodiscard]] OrderedJson body_of(const Operation& operation);

}  // namespace svc::docgen
