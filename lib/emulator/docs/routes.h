// The documentation MCP server (api 1 §2.11, api 4 §11): Streamable HTTP, stateless, without a key.
#pragma once

#include <vector>

#include "emulator/handler.h"

namespace svc::emulator {

/// POST /api/mcp and GET /.well-known/mcp/server-card.json.
[[nodiscard]] std::vector<Route> docs_routes();

}  // namespace svc::emulator
