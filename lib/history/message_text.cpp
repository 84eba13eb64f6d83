#include "history/message_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "json/document.h"

namespace svc::history {
namespace {

using nlohmann::json;

void add(std::string& text, std::string_view more) {
  if (more.empty()) return;
  if (!text.empty()) text += '\n';
  text += more;
}

/// A placeholder for a part other than text, so that its presence remains visible.
std::string attachment(const json& part) {
  const std::string type = text_member(part, "type");
  if (type.find("image") != std::string::npos) return "[image]";
  if (type.find("audio") != std::string::npos) return "[audio]";
  if (type.find("file") == std::string::npos) return {};
  std::string name = text_member(part, "filename");
  if (name.empty()) name = text_member(member(part, "file"), "filename");
  return name.empty() ? std::string("[file]") : fmt::format("[file {}]", name);
}

std::string content_text(const json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  if (!content.is_array()) return text;
  for (const json& part : content) {
    std::string one = text_member(part, "text");
    if (one.empty()) one = text_member(part, "refusal");
    if (one.empty() && part.is_object()) one = attachment(part);
    add(text, one);
  }
  return text;
}

void add_calls(std::string& text, const json& message) {
  const json& calls = member(message, "tool_calls");
  if (!calls.is_array()) return;
  for (const json& call : calls) {
    const json& function = member(call, "function");
    if (function.is_null()) continue;
    add(text,
        fmt::format("{} {}", text_member(function, "name"), text_member(function, "arguments")));
  }
}

}  // namespace

MessageText read_message_text(std::string_view text) {
  const json message = json::parse(text, nullptr, false);
  MessageText message_text;
  if (!message.is_object()) return message_text;
  const std::string type = text_member(message, "type");
  message_text.role = text_member(message, "role");
  message_text.text = content_text(member(message, "content"));
  if (message_text.text.empty()) message_text.text = text_member(message, "refusal");
  message_text.calls = message_text.text.size();
  message_text.reasoned = type == "reasoning" || !text_member(message, "reasoning_content").empty();
  add_calls(message_text.text, message);
  if (type == "function_call") {
    message_text.role = "assistant";
    message_text.text =
        fmt::format("{} {}", text_member(message, "name"), text_member(message, "arguments"));
  } else if (type == "function_call_output") {
    message_text.role = "tool";
    message_text.text = text_member(message, "output");
  } else if (message_text.role.empty()) {
    message_text.role = type;
  }
  if (type == "function_call_output") message_text.calls = message_text.text.size();
  return message_text;
}

}  // namespace svc::history
