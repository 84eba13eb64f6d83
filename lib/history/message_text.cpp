#include "history/message_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace svc::history {
namespace {

using nlohmann::json;

std::string text_of(const json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (found == object.end()) return {};
  return found->is_string() ? found->get<std::string>() : std::string();
}

void add(std::string& text, std::string_view more) {
  if (more.empty()) return;
  if (!text.empty()) text += '\n';
  text += more;
}

/// A placeholder for a part other than text, so that its presence remains visible.
std::string attachment(const json& part) {
  const std::string type = text_of(part, "type");
  if (type.find("image") != std::string::npos) return "[image]";
  if (type.find("audio") != std::string::npos) return "[audio]";
  if (type.find("file") == std::string::npos) return {};
  std::string name = text_of(part, "filename");
  const auto file = part.find("file");
  if (name.empty() && file != part.end()) name = text_of(*file, "filename");
  return name.empty() ? std::string("[file]") : fmt::format("[file {}]", name);
}

std::string content_text(const json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  if (!content.is_array()) return text;
  for (const json& part : content) {
    std::string one = text_of(part, "text");
    if (one.empty()) one = text_of(part, "refusal");
    if (one.empty() && part.is_object()) one = attachment(part);
    add(text, one);
  }
  return text;
}

void add_calls(std::string& text, const json& message) {
  const auto calls = message.find("tool_calls");
  if (calls == message.end() || !calls->is_array()) return;
  for (const json& call : *calls) {
    const auto function = call.is_object() ? call.find("function") : call.end();
    if (function == call.end()) continue;
    add(text, fmt::format("{} {}", text_of(*function, "name"), text_of(*function, "arguments")));
  }
}

}  // namespace

Said said_in(std::string_view text) {
  const json message = json::parse(text, nullptr, false);
  Said said;
  if (!message.is_object()) return said;
  const std::string type = text_of(message, "type");
  said.role = text_of(message, "role");
  if (const auto content = message.find("content"); content != message.end()) {
    said.text = content_text(*content);
  }
  if (said.text.empty()) said.text = text_of(message, "refusal");
  add_calls(said.text, message);
  if (type == "function_call") {
    said.role = "assistant";
    said.text = fmt::format("{} {}", text_of(message, "name"), text_of(message, "arguments"));
  } else if (type == "function_call_output") {
    said.role = "tool";
    said.text = text_of(message, "output");
  } else if (said.role.empty()) {
    said.role = type;
  }
  return said;
}

}  // namespace svc::history
