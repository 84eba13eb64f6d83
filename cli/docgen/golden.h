// The requests in tests/golden.
#pragma once

#include <vector>

#include "base/result.h"
#include "docgen/regen.h"

namespace svc::docgen {

/// One request per operation, built from its fields' examples, so that a diff shows every change to
/// the requests that svc sends: "tests/golden/chat-create.json". Fault::Unexpected if an
/// operation's examples do not build a valid request.
[[nodiscard]] Result<std::vector<GeneratedFile>> golden_requests();

}  // namespace svc::docgen
