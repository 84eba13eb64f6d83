// Which MCP servers the user has agreed to: a list on this machine.
#pragma once

#include <string>

#include "base/result.h"

namespace svc::cli {

/// Whether the user has agreed to a server of that identity before. What cannot be read counts as
/// no.
[[nodiscard]] bool is_trusted_server(const std::string& identity);

/// From now on it is. Local when that cannot be written down.
[[nodiscard]] Result<void> trust_server(const std::string& identity);

}  // namespace svc::cli
