// What a tool of an MCP server gave.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc::mcp {

/// An image or a sound, as base64.
struct MediaPart {
  std::string type{};  ///< "image/png"
  std::string base64{};
};

struct ToolResult {
  std::string text{};  ///< its text parts and resources, one after the other; foreign
  std::vector<MediaPart> media{};
  bool failed = false;  ///< the tool's own error: the text says why
};

/// Reads the `result` of tools/call. Structured content stands for missing text. Network when it is
/// not one; Service when the server wants input that a tool call here cannot give.
[[nodiscard]] Result<ToolResult> read_tool_result(std::string_view result);

}  // namespace svc::mcp
