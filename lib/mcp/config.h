// Which MCP servers there are: flags, and the `mcpServers` object that other programs read too.
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
  ServerCommand command{};             ///< of a program of this machine
  HttpServer http{};                   ///< of one behind a URL: then the command is empty
  std::vector<std::string> secrets{};  ///< values of variables that the file names by env:NAME
  bool optional = false;               ///< a run does without it where it has to

  [[nodiscard]] bool is_program() const noexcept { return http.url.empty(); }
  /// The command line with its folder and the names of its variables, or the URL, for people.
  [[nodiscard]] std::string shown_command() const;
  /// All that decides what runs or is asked, but for the values of secrets: what a user has agreed
  /// to.
  std::string identity{};
};

/// Reads NAME=COMMAND (words as a shell splits them, without a shell) or NAME=URL. `flag` is the
/// subject of the error. Usage.
[[nodiscard]] Result<ServerSpec> read_server_flag(std::string_view flag, std::string_view text);

/// Gives the value of a variable.
using ReadVariable = std::function<std::optional<std::string>(const std::string& name)>;

/// Reads the `mcpServers` (or `servers`) object of a JSON text; `where` is the subject of errors.
/// Servers marked `disabled` are left out, and all but `only` where that is given. A value
/// "env:NAME" in `env` or `headers` stands for the variable. Usage.
[[nodiscard]] Result<std::vector<ServerSpec>> read_servers(std::string_view where,
                                                           std::string_view json,
                                                           const ReadVariable& variable,
                                                           std::string_view only = {});

/// Words as a POSIX shell splits them: quotes and backslashes, no expansion. Nothing for an
/// unclosed quote.
[[nodiscard]] std::optional<std::vector<std::string>> split_command(std::string_view text);

}  // namespace svc::mcp
