// A value that satisfies a JSON schema: what the emulator answers when structured output or a
// function's arguments are asked for.
#pragma once

#include <cstddef>
#include <optional>

#include "emulator/json/json.h"

namespace svc::emulator::text {

/// A value that satisfies `schema`, as far as one is found by its types, limits, formats, examples
/// and references; a rule can give what only a look at patterns or contradictions would find.
/// Nothing when the schema allows nothing or recurs without end. `variation` asks for another value
/// where there are several.
[[nodiscard]] std::optional<Json> sample_schema(const Json& schema, std::size_t variation = 0);

}  // namespace svc::emulator::text
