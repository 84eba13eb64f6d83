// The documentation MCP server: Streamable HTTP, stateless, without a key.
#pragma once

#include <vector>

#include "emulator/handler/handler.h"

namespace svc::emulator {

/// POST /api/mcp and GET /.well-known/mcp/server-card.json.
[[nodiscard]] std::vector<Route> docs_routes();

}  // namespace svc::emulator
