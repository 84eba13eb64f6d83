// The configuration of MCP servers: any text must give servers with a name and a command or a URL,
// or an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/text.h"
#include "mcp/config.h"

namespace {

void check(const svc::mcp::ServerSpec& server) {
  if (server.name.empty() || server.identity.empty()) std::abort();
  if (svc::first_invalid_utf8(server.shown_command())) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto one = svc::mcp::read_server_flag("--mcp-local", text)) check(*one);
  (void)svc::mcp::split_command(text);
  const auto variable = [](const std::string&) { return std::optional<std::string>("value"); };
  const auto servers = svc::mcp::read_servers("fuzz", text, variable);
  if (servers) {
    for (const svc::mcp::ServerSpec& server : *servers) check(server);
  } else if (servers.error().message.empty()) {
    std::abort();
  }
  return 0;
}
