// The tools that the service runs itself: their rules, and what the emulator makes of
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/handler/handler.h"
#include "emulator/json/json.h"
#include "emulator/model/answer.h"

namespace svc::emulator::text {

/// What is wrong with the meaning of `tools`, as a sentence.
[[nodiscard]] std::optional<std::string> tools_fault(const Json& tools);

/// True when `tools` has one that the service runs.
[[nodiscard]] bool has_server_tool(const Json& tools);

/// What the tools of one answer did.
struct ToolWork {
  std::vector<Json> items;        ///< output items, finished
  std::vector<Source> sources{};  ///< pages that the searches found
  std::int64_t tokens = 0;        ///< what the results add to the prompt
};

/// Runs each server tool of the request once, at most `max_turns` of them. What a call tells beyond
/// its doing depends on `include`.
/// `call` is the request: files are searched in the collections of its team.
[[nodiscard]] ToolWork run_server_tools(const Call& call, const Json& body, sv question,
                                        sv response_id);

/// `server_side_tool_usage_details` of a response's usage.
[[nodiscard]] Json tool_usage(const ToolWork& work);

/// The commands of a shell call: what follows `run:` in the question, else a greeting.
[[nodiscard]] Json shell_action(sv question);

}  // namespace svc::emulator::text
