// The group mcp: using MCP servers, and svc as an MCP server.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/local_answers.h"
#include "catalogue/mcp_fields.h"

namespace svc::catalogue {
namespace mcp {

constexpr std::array k_examples = {
    Example{"svc mcp", "Serves tools over standard input and output, for MCP clients."},
    Example{"svc mcp --allow images,tts --output-dir results --max-cost 5",
            "Offers two groups, saves files, and spends at most $5."},
    Example{"svc mcp --read-only", "Offers only free, read-only operations."},
    Example{"svc mcp tools 'files=my-server --root /tmp'", "Lists the tools of a server."},
    Example{"svc mcp tools --mcp-config mcp.json", "Lists the tools of all servers in a file."},
    Example{"svc mcp call files list_directory '{\"path\":\"/tmp\"}' --mcp-config mcp.json",
            "Calls a tool and prints its result."},
};

constexpr std::array k_rows = {
    command("mcp serve", "Serve svc's operations as tools, over the Model Context Protocol.",
            runs(Handler::McpServe), default_verb, fields<k_serve_fields>),
    command("mcp tools", "List the tools of MCP servers.", runs(Handler::McpTools),
            fields<k_tools_fields>, answers(answer::local_commands::k_tool)),
    command("mcp call", "Call a tool of an MCP server and print its result.",
            runs(Handler::McpCall), fields<k_call_fields>),
};
constexpr auto k_operations = checked(k_rows, k_examples);

}  // namespace mcp

constinit const std::span<const Operation> k_mcp_operations = mcp::k_operations;

}  // namespace svc::catalogue
