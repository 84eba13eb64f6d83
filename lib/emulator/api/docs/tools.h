// The tools of the documentation server.
#pragma once

#include <optional>
#include <string>

#include "emulator/json/json.h"

namespace svc::emulator::docs {

/// The list of tools/list: name, description, inputSchema.
[[nodiscard]] text::Json tool_list();

/// The result of tools/call, or nothing with the sentence in `fault` when the call itself is wrong:
/// an unknown tool, arguments that do not fit. A page that does not exist is a result with isError.
[[nodiscard]] std::optional<text::Json> call_tool(const text::Json& params, std::string& fault);

}  // namespace svc::emulator::docs
