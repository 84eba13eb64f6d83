// One request per operation, built from its fields' examples. They are committed so that a diff
// shows every change to the requests that svc sends.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "docgen/regen.h"

namespace svc::docgen {

/// Returns a file such as "tests/golden/chat-create.json" for every operation with a request, or
/// Fault::Unexpected if an operation's examples do not build a valid request.
[[nodiscard]] Result<std::vector<GeneratedFile>> golden_requests();

}  // namespace svc::docgen
