// A value that satisfies a JSON schema: what the emulator answers when structured output or a
// function's arguments are asked for.
#pragma once

#include <cstddef>
#include <optional>

#include "emulator/json/json.h"

namespace svc::emulator::text {

/// A value that satisfies `schema` (see schema_match.h for what is looked at; also `format`,
/// `default` and `examples`), or nothing when none was found: the schema contradicts itself or
/// recurs without end. Patterns are not looked at: a rule can give an answer that matches one.
/// `variation` asks for another value where there are several.
[[nodiscard]] std::optional<Json> sample_schema(const Json& schema, std::size_t variation = 0);

}  // namespace svc::emulator::text
