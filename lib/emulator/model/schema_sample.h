// Values that satisfy a JSON schema: the emulator's structured output and function arguments.
#pragma once

#include <cstddef>
#include <optional>

#include "emulator/json/json.h"

namespace svc::emulator::text {

/// Returns a value that satisfies `schema`, if one can be found from its types, limits, formats,
/// examples and references; for patterns or contradictions, use an answer rule. Returns nothing if
/// the schema allows nothing or recurses without end. `variation` selects another value if there
/// are several.
[[nodiscard]] std::optional<Json> sample_schema(const Json& schema, std::size_t variation = 0);

}  // namespace svc::emulator::text
