// The tools of a session.
#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/realtime/fields.h"
#include "emulator/api/realtime/session_config.h"

namespace svc::emulator::realtime {
namespace {

constexpr std::array<sv, 5> k_tool_types = {"function", "web_search", "x_search", "file_search",
                                            "mcp"};

void read_function(const Json& given, const std::string& path, SessionTool& tool,
                   std::optional<Complaint>& fault) {
  // The nested object `function` is accepted too.
  const Json* nested = text::member(given, "function");
  const Json& function = nested != nullptr && nested->is_object() ? *nested : given;
  Fields fields(function, path, fault);
  fields.text("name", tool.name);
  (void)fields.object("parameters");
  const bool fits =
      !tool.name.empty() && tool.name.size() <= 64 && std::ranges::all_of(tool.name, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
      });
  if (!fits) {
    fields.fail("name", "invalid_value",
                fmt::format("{} must be 1 to 64 letters, digits, _ or -.", fields.path_of("name")));
  }
}

void read_tool(const Json& given, const std::string& path, SessionTool& tool,
               std::optional<Complaint>& fault) {
  Fields fields(given, path, fault);
  fields.word("type", k_tool_types, tool.type);
  if (!fault && tool.type.empty()) {
    fields.fail("type", "missing_parameter",
                fmt::format("{} is required.", fields.path_of("type")));
  }
  if (tool.type == "function") read_function(given, path, tool, fault);
  if (tool.type == "x_search") (void)fields.list("allowed_x_handles");
  if (tool.type == "file_search") {
    const Json* stores = fields.list("vector_store_ids");
    if (stores == nullptr || stores->empty()) {
      fields.fail("vector_store_ids", "missing_parameter",
                  fmt::format("{} must name a collection.", fields.path_of("vector_store_ids")));
    }
  }
  if (tool.type == "mcp") {
    std::string url;
    fields.text("server_url", url);
    fields.text("server_label", tool.name);
    (void)fields.list("allowed_tools");
    if (url.empty()) {
      fields.fail("server_url", "missing_parameter",
                  fmt::format("{} is required.", fields.path_of("server_url")));
    }
    if (tool.name.empty()) {
      fields.fail("server_label", "missing_parameter",
                  fmt::format("{} is required.", fields.path_of("server_label")));
    }
  }
  // What a server is reached with is not told again.
  Json definition = given;
  if (tool.type == "mcp") {
    definition.erase("authorization");
    definition.erase("headers");
  }
  tool.definition = text::dump(definition);
}

}  // namespace

std::optional<Complaint> read_tools(const Json& list, std::vector<SessionTool>& tools) {
  std::vector<SessionTool> read;
  std::set<std::string> names;
  std::optional<Complaint> fault;
  for (std::size_t i = 0; i < list.size() && !fault; ++i) {
    const std::string path = fmt::format("session.tools[{}]", i);
    if (!list[i].is_object()) return Complaint{"invalid_type", path + " must be an object.", path};
    SessionTool tool;
    read_tool(list[i], path, tool, fault);
    if (!fault && tool.type == "function" && !names.insert(tool.name).second) {
      fault =
          Complaint{"invalid_value", fmt::format("There are two functions {}.", tool.name), path};
    }
    read.push_back(std::move(tool));
  }
  if (!fault) tools = std::move(read);
  return fault;
}

}  // namespace svc::emulator::realtime
