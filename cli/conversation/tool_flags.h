// The flags about programs that a model may run: --tool, --allow-tools, --tool-timeout, ….
#pragma once

#include <vector>

#include "base/result.h"
#include "conversation/tool_calls.h"
#include "session/session.h"

namespace svc::cli {

struct ToolFlags {
  std::vector<ToolProgram> tools{};
  AllowedTools allowed{};
  ToolLimits limits{};
  int rounds = 10;  ///< of one turn
};

/// Usage, also where a tool needs a question that nobody can answer (not `asks`): that comes before
/// any program is run for its description. Where the request is only shown, none is, and tools have
/// their names alone.
[[nodiscard]] Result<ToolFlags> read_tool_flags(const Session& session, bool asks);

}  // namespace svc::cli
