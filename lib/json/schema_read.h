// Reads the rules, references and patterns of a schema. Not a public interface.
#pragma once

#include <string>

#include "json/schema_parts.h"

namespace svc {

/// Examines every schema in the document and fills in the other fields. Usage if one is invalid.
[[nodiscard]] Result<void> compile_schema(SchemaParts& parts);

/// Appends a field name or an index to a JSON pointer.
[[nodiscard]] std::string pointer_to(const std::string& base, const std::string& name);

}  // namespace svc
