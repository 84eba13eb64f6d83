// One request per operation, made from the examples of its fields: what would be sent, committed so
// that a change of the wire is seen in a diff.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "docgen/regen.h"

namespace svc::docgen {

/// "tests/golden/chat-create.json" and its like, for every operation with a request. Unexpected
/// when an operation's own examples do not build.
[[nodiscard]] Result<std::vector<GeneratedFile>> golden_requests();

}  // namespace svc::docgen
