// One schema out of several that all hold.
#pragma once

#include <vector>

#include "emulator/json/json.h"

namespace svc::emulator::text {

/// Adds what `schema` asks for to `base`, a plain schema, and the arrays of its `anyOf` and `oneOf`
/// to `choices`: references are followed, `allOf` is joined. `root` and `schema` must outlive both.
/// False when it can never hold, or leads in a circle.
[[nodiscard]] bool add_schema(const Json& schema, const Json& root, Json& base,
                              std::vector<const Json*>& choices, int depth = 0);

}  // namespace svc::emulator::text
