// Does a value satisfy a JSON schema?
#pragma once

#include <optional>
#include <string>

#include "emulator/json/json.h"

namespace svc::emulator::text {

/// What `$ref` (`#`, `#/$defs/…`) points to in `root`, or null.
[[nodiscard]] const Json* resolve_reference(const Json& root, sv reference);

/// True when `value` satisfies `schema`, whose references point into `root`. Looked at are type,
/// enum, const, the limits of numbers, texts, arrays and objects, items, prefixItems, properties,
/// required, additionalProperties, allOf, anyOf, oneOf, not and $ref; `pattern` and `format` are
/// not.
[[nodiscard]] bool matches(const Json& schema, const Json& root, const Json& value);

}  // namespace svc::emulator::text
