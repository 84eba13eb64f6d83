// Tools run by the service itself: their validation, and their emulation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/handler/handler.h"
#include "emulator/json/json.h"
#include "emulator/model/answer.h"

namespace svc::emulator::text {

/// Checks the values of `tools`; returns an error message.
[[nodiscard]] std::optional<std::string> check_tools(const Json& tools);

/// Whether `tools` contains one that the service runs.
[[nodiscard]] bool has_server_tool(const Json& tools);

/// The work of the tools for one answer.
struct ToolResults {
  std::vector<Json> items;        ///< output items, finished
  std::vector<Source> sources{};  ///< pages found by the searches
  std::int64_t tokens = 0;        ///< prompt tokens added by the results
};

/// Runs each server tool of the request once, at most `max_turns` of them. `include` determines the
/// details in the items. `request` is the request: files are searched in its team's collections.
[[nodiscard]] ToolResults run_server_tools(const Request& request, const Json& body, sv question,
                                           sv response_id);

/// Returns `server_side_tool_usage_details` of a response's usage.
[[nodiscard]] Json tool_usage(const ToolResults& work);

/// Returns the commands of a shell call: the text after `run:` in the question, or a greeting.
[[nodiscard]] Json shell_action(sv question);

}  // namespace svc::emulator::text
