// The flags about MCP servers whose tools svc uses; conversations and `svc mcp` share them.
#pragma once

#include <array>

#include "catalogue/model.h"

namespace svc::catalogue {

inline constexpr std::array<Field, 2> k_mcp_fields = {
    Field{.flag = "mcp-local",
          .kind = Kind::File,
          .in = In::Local,
          .help =
              "Use the tools of an MCP server, as NAME=COMMAND or NAME=URL; svc starts or calls "
              "it from this machine.",
          .repeated = true,
          .common = true,
          .example = "files='my-server --root /tmp'"},
    Field{.flag = "mcp-config",
          .kind = Kind::File,
          .in = In::Local,
          .help = "Use the MCP servers in the `mcpServers` object of FILE; none ignores the "
                  "profile's.",
          .common = true,
          .fallback = "the setting mcp_config",
          .example = "mcp.json",
          .completes = "files"},
};

}  // namespace svc::catalogue
