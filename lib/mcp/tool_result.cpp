#include "mcp/tool_result.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/document.h"

namespace svc::mcp {
namespace {

using nlohmann::json;

void add_text(ToolResult& out, const std::string& text) {
  if (!out.text.empty() && !out.text.ends_with('\n')) out.text += '\n';
  out.text += text;
}

/// A resource in a result: text as text, an image as one, other bytes as what they are.
void add_resource(ToolResult& out, const json& resource) {
  const std::string uri = text_member(resource, "uri");
  const std::string type = text_member(resource, "mimeType");
  if (member(resource, "text").is_string()) {
    add_text(out, fmt::format("[resource {}]\n{}", uri, text_member(resource, "text")));
    return;
  }
  const std::string blob = text_member(resource, "blob");
  if (type.starts_with("image/") && !blob.empty()) {
    add_text(out, fmt::format("[resource {}: {}]", uri, type));
    out.media.push_back({type, blob});
    return;
  }
  add_text(out, fmt::format("[resource {}: {} bytes of {}]", uri, blob.size() / 4 * 3,
                            type.empty() ? "an unknown type" : type));
}

void add_part(ToolResult& out, const json& part) {
  const std::string type = text_member(part, "type");
  if (type == "text") {
    add_text(out, text_member(part, "text"));
  } else if (type == "image" || type == "audio") {
    const std::string data = text_member(part, "data");
    std::string media = text_member(part, "mimeType");
    if (media.empty()) media = type == "image" ? "image/png" : "audio/wav";
    out.media.push_back({std::move(media), data});
  } else if (type == "resource") {
    add_resource(out, member(part, "resource"));
  } else if (type == "resource_link") {
    const std::string name = text_member(part, "name");
    const std::string about = text_member(part, "description");
    add_text(out, fmt::format("[resource {}{}{}{}{}]", text_member(part, "uri"),
                              name.empty() ? "" : ": ", name, about.empty() ? "" : ": ", about));
  } else {
    add_text(out, fmt::format("[a part of type {}]", type.empty() ? "unknown" : type));
  }
}

}  // namespace

Result<ToolResult> read_tool_result(std::string_view result) {
  const json document = parse_reply(result);
  const std::string type = text_member(document, "resultType");
  if (type == "input_required") {
    return Error{Fault::Service, "the tool asks for input, which a tool call here cannot give"};
  }
  if (!type.empty() && type != "complete") {
    return Error{Fault::Network,
                 fmt::format("the MCP server's result is of a type that svc does not know: {}",
                             shown(type, 60))};
  }
  const json& content = member(document, "content");
  const json& structured = member(document, "structuredContent");
  if (!content.is_array() && structured.is_null()) {
    return Error{Fault::Network, "the MCP server's answer is not a tool's result: no content"};
  }
  ToolResult out;
  out.failed = member(document, "isError") == json(true);
  if (content.is_array()) {
    for (const json& part : content) add_part(out, part);
  }
  if (out.text.empty() && out.media.empty() && !structured.is_null()) {
    out.text = compact_json(structured);
  }
  return out;
}

}  // namespace svc::mcp
