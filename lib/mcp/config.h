// The configured MCP servers: from flags, and from the `mcpServers` object that other programs use
// too.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "mcp/http_channel.h"
#include "mcp/stdio_channel.h"

namespace svc::mcp {

struct ServerSpec {
  std::string name{};
  ServerCommand command{};             ///< for a program on this machine
  HttpServer http{};                   ///< for a server with a URL; `command` is then empty
  std::vector<std::string> secrets{};  ///< values of the variables referenced as env:NAME
  bool optional = false;               ///< svc runs without the server if it is not available

  [[nodiscard]] bool is_program() const noexcept { return http.url.empty(); }
  /// The command line with its directory and the names of its variables, or the URL, for display.
  [[nodiscard]] std::string shown_command() const;
  /// Everything that decides what is run or contacted, except the values of secrets: what the user
  /// approves.
  std::string identity{};
};

/// Parses NAME=COMMAND (split into words like a shell, but not run by one) or NAME=URL. `flag` is
/// the subject of the error message. Fails with Fault::Usage.
[[nodiscard]] Result<ServerSpec> read_server_flag(std::string_view flag, std::string_view text);

/// Returns the value of a variable.
using ReadVariable = std::function<std::optional<std::string>(const std::string& name)>;

/// Parses the `mcpServers` (or `servers`) object of a JSON text; `where` is the subject of error
/// messages. Skips servers marked `disabled`, and all except `only` if that is given. A value
/// "env:NAME" in `env` or `headers` is replaced with the variable's value. Fails with Fault::Usage.
[[nodiscard]] Result<std::vector<ServerSpec>> read_servers(std::string_view where,
                                                           std::string_view json,
                                                           const ReadVariable& variable,
                                                           std::string_view only = {});

/// Splits words like a POSIX shell: quotes and backslashes, no expansion. Returns nothing for an
/// unclosed quote.
[[nodiscard]] std::optional<std::vector<std::string>> split_command(std::string_view text);

}  // namespace svc::mcp
