// The flags about what a model may call here: --tool, --mcp-local, --allow-tools, …, and the start
// of MCP servers.
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
  int rounds = 10;                        ///< of one turn
  std::shared_ptr<McpServers> servers{};  ///< never null; their tools are among the others
  bool only_allowed = false;              ///< nobody can be asked: other tools are not offered

  /// The tools of the servers that are to be offered beside these.
  [[nodiscard]] std::vector<ToolProgram> served(std::vector<ToolProgram> programs) const;
};

/// Usage, also where a tool needs a question that nobody can answer (not `asks`): that comes before
/// any program is run for its description or as a server. Where the request is only shown, none is:
/// programs have their names alone, and servers no tools. Of a server of which the user allowed
/// some tools, a run without anybody to ask offers those; one that only the profile names, and of
/// which nothing is allowed, it leaves out.
[[nodiscard]] Result<ToolFlags> read_tool_flags(Session& session, bool asks);

}  // namespace svc::cli
