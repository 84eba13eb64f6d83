// The tool flags (--tool, --mcp-local, --allow-tools, …) and the start of MCP servers.
#pragma once

#include <vector>

#include "base/result.h"
#include "conversation/mcp_servers.h"
#include "conversation/tool_calls.h"
#include "session/session.h"

namespace svc::cli {

struct ToolFlags {
  std::vector<ToolProgram> tools{};
  AllowedTools allowed{};
  ToolLimits limits{};
  int rounds = 10;                        ///< tool rounds per turn
  std::shared_ptr<McpServers> servers{};  ///< never null
  bool only_allowed = false;              ///< nobody can be asked: other tools are not offered

  /// `programs` and the tools of the servers that may be offered.
  [[nodiscard]] std::vector<ToolProgram> served(std::vector<ToolProgram> programs) const;
};

/// Parses the flags and starts the servers. Usage, also if a tool needs confirmation and nobody can
/// be asked (`asks` is false); this is checked before any program or server is started. --dry-run
/// starts them too, with the same consent: the request has their descriptions. If nobody can be
/// asked, a server is offered with its allowed tools only, and a server of the
/// profile without any is skipped.
[[nodiscard]] Result<ToolFlags> read_tool_flags(Session& session, bool asks);

}  // namespace svc::cli
