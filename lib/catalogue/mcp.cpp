// mcp: MCP servers whose tools are used, and svc as one.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/mcp_fields.h"

namespace svc::catalogue {
namespace {

constexpr std::array k_serve_fields = {
    Field{.flag = "allow",
          .in = In::Local,
          .help = "Offer these operations: comma-separated groups, such as images, or group and "
                  "verb, such as \"files delete\"; all offers every one.",
          .repeated = true,
          .common = true,
          .fallback = "what neither costs money nor changes anything, and chat, images, tts, stt "
                      "and collections search",
          .example = "images,files"},
    Field{.flag = "read-only",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Offer only operations that change nothing and cost nothing.",
          .common = true},
    Field{.flag = "output-folder",
          .kind = Kind::File,
          .in = In::Local,
          .help = "Write images, audio and videos to this directory; otherwise they are part of "
                  "the result.",
          .common = true,
          .example = "results"},
};

constexpr Field server_field(bool required) {
  return Field{.flag = "server",
               .in = In::Local,
               .help = "Name of a configured server, its URL, or NAME=COMMAND.",
               .required = required,
               .positional = true,
               .common = true,
               .example = "files"};
}

constexpr std::array k_tools_own = {server_field(false)};
constexpr auto k_tools_fields = concat(k_tools_own, k_mcp_fields);

constexpr std::array k_call_own = {
    server_field(true),
    Field{.flag = "tool",
          .in = In::Local,
          .help = "Name of the tool, as shown by `svc mcp tools`.",
          .required = true,
          .positional = true,
          .common = true,
          .example = "list_directory"},
    Field{.flag = "arguments",
          .kind = Kind::Json,
          .in = In::Local,
          .help = "The tool's arguments, as a JSON object.",
          .positional = true,
          .common = true,
          .fallback = "{}",
          .example = R"({"path":"/tmp"})"},
    Field{.flag = "tool-timeout",
          .kind = Kind::Duration,
          .in = In::Local,
          .help = "Abort the call after this time.",
          .fallback = "30s",
          .example = "10s"},
};
constexpr auto k_call_fields = concat(k_call_own, k_mcp_fields);

constexpr std::array k_serve_examples = {
    Example{"svc mcp", "Serves tools on standard input and output, for a program that starts it."},
    Example{"svc mcp --allow images,tts --output-folder results --max-cost 5",
            "Offers two groups, saves files, and spends at most $5."},
    Example{"svc mcp --read-only", "Offers only what changes nothing and costs nothing."},
};
constexpr std::array k_tools_examples = {
    Example{"svc mcp tools 'files=my-server --root /tmp'", "Lists the tools of a server."},
    Example{"svc mcp tools --mcp-config mcp.json", "Lists the tools of all servers in a file."},
};
constexpr std::array k_call_examples = {
    Example{"svc mcp call files list_directory '{\"path\":\"/tmp\"}' --mcp-config mcp.json",
            "Calls a tool and prints its result."},
};
constexpr std::array k_tools_columns = {Column{"SERVER", "server"}, Column{"TOOL", "name"},
                                        Column{"DESCRIPTION", "description"}};

constexpr std::array k_operations = {
    Operation{.group = "mcp",
              .name = "serve",
              .summary = "Serve svc's operations as tools, over the Model Context Protocol.",
              .host = Host::Local,
              .fields = resolved<k_serve_fields>,
              .is_default = true,
              .examples = k_serve_examples},
    Operation{.group = "mcp",
              .name = "tools",
              .summary = "List the tools of MCP servers.",
              .host = Host::Local,
              .fields = resolved<k_tools_fields>,
              .columns = k_tools_columns,
              .examples = k_tools_examples},
    Operation{.group = "mcp",
              .name = "call",
              .summary = "Call a tool of an MCP server and print its result.",
              .host = Host::Local,
              .fields = resolved<k_call_fields>,
              .examples = k_call_examples},
};
static_assert(check_operations(k_operations));

}  // namespace

std::span<const Operation> mcp_operations() {
  return k_operations;
}

}  // namespace svc::catalogue
