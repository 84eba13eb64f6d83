#include "commands/mcp/offered.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalogue/chat_fields.h"
#include "catalogue/responses_fields.h"
#include "catalogue/shared_fields.h"
#include "docgen/member_schema.h"
#include "docgen/openapi.h"
#include "request/flags.h"

namespace svc::cli {
namespace {

using ChatFlags = Flags<catalogue::chat::k_create_fields>;
using PageFlags = Flags<catalogue::k_page_fields>;
using WaitFlags = Flags<catalogue::k_wait_fields>;

/// Offered by default although they cost money: the usual purpose of such a server.
constexpr std::array<sv, 4> k_usual_groups = {"chat", "images", "tts", "stt"};
/// Local flags that affect the result itself.
constexpr std::array k_local_arguments = {WaitFlags::k_name<"wait">,
                                          WaitFlags::k_name<"wait-timeout">,
                                          PageFlags::k_name<"limit">, PageFlags::k_name<"all">};
/// Fields that make sense only for reading a stream or fetching a result later.
constexpr std::array k_left_out = {
    ChatFlags::k_name<"stream">, ChatFlags::k_name<"stream-options-include-usage">,
    Flags<catalogue::responses::k_create_fields>::k_name<"background">};

template <std::size_t N>
bool holds(const std::array<sv, N>& all, sv one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// It removes or replaces something.
bool is_destructive(const Operation& operation) {
  return !operation.ends.empty() || operation.changes || operation.method == "DELETE" ||
         operation.method == "PUT" || operation.method == "PATCH";
}

bool is_usual(const Operation& operation) {
  if (holds(k_usual_groups, operation.group)) return !is_destructive(operation);
  if (operation.group == "collections" && operation.name == "search") return true;
  return !operation.secret && is_read_only(operation);
}

Result<void> check_allowed_name(sv name) {
  const sv group_name = name.substr(0, name.find(' '));
  std::vector<sv> names;
  for (const Group& group : groups()) {
    const bool any = std::any_of(group.operations.begin(), group.operations.end(), can_be_tool);
    if (any) names.push_back(group.name);
    if (!any || group.name != group_name) continue;
    if (name == group_name) return {};
    std::vector<std::string> commands;
    for (const Operation& operation : group.operations) {
      if (!can_be_tool(operation)) continue;
      if (operation.name == name.substr(group_name.size() + 1)) return {};
      commands.emplace_back(command_name(operation));
    }
    return usage_error(fmt::format("--allow: svc {} has no command '{}' that can be a tool",
                                   group_name, shown(name.substr(group_name.size() + 1))),
                       fmt::format("Commands: {}.", join(commands, ", ")));
  }
  const sv near = nearest(name, names);
  return usage_error(fmt::format("--allow: unknown group '{}'", shown(name)),
                     near.empty() ? fmt::format("Allowed: all, {}.", join(names, ", "))
                                  : fmt::format("Did you mean {}?", near));
}

}  // namespace

std::string tool_name(const Operation& operation) {
  std::string name(operation.group);
  if (!operation.name.empty()) name += fmt::format("_{}", operation.name);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  return name;
}

std::string argument_name(const Field& field) {
  std::string name(field.flag);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

bool is_argument(const Operation& operation, const Field& field) {
  if (field.status != Status::Current || field.kind == Kind::Secret) return false;
  if (holds(k_left_out, field.flag)) return false;
  if (field.in == In::Local) return holds(k_local_arguments, field.flag);
  // A deferred answer would need a second tool to fetch it.
  return !(operation.streams && field.flag == ChatFlags::k_name<"deferred">);
}

bool can_be_tool(const Operation& operation) {
  return operation.host != Host::Local && operation.host != Host::Realtime &&
         operation.reply != Reply::Socket && operation.group != "emulator";
}

bool is_read_only(const Operation& operation) {
  return (operation.method == "GET" && !operation.once) || operation.host == Host::Docs ||
         operation.group == "tokenize";
}

Result<std::vector<const Operation*>> offered_operations(const std::vector<std::string>& allow,
                                                         bool read_only) {
  bool all = false;
  std::vector<std::string> names;
  for (const std::string& text : allow) {
    for (const sv part : split(text, ',')) {
      const sv name = trim(part);
      if (name == "all") all = true;
      // Conversations are offered as resources, not tools.
      if (name == "all" || name == "history") continue;
      SVC_CHECK(check_allowed_name(name));
      names.emplace_back(name);
    }
  }
  const auto is_named = [&](const Operation& operation) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return name == operation.group || name == command_name(operation);
    });
  };
  std::vector<const Operation*> offered;
  for (const Group& group : groups()) {
    for (const Operation& operation : group.operations) {
      if (!can_be_tool(operation)) continue;
      if (read_only && !is_read_only(operation)) continue;
      // Without --allow, --read-only offers every read-only operation.
      const bool chosen = allow.empty() ? is_usual(operation) : all || is_named(operation);
      if (chosen) offered.push_back(&operation);
    }
  }
  return offered;
}

OrderedJson schema_of_argument(const Field& field) {
  OrderedJson schema;
  switch (field.kind) {
    case Kind::Duration:
    case Kind::Money:
      schema = {{"type", {"string", "number"}}};
      break;
    case Kind::Time:
    case Kind::Media:
    case Kind::File:
      schema = {{"type", "string"}};
      break;
    case Kind::TextOrJson:
      schema = {{"type", {"string", "object", "array"}}};
      break;
    default:
      schema = docgen::schema_of(field);
      if (field.quoted) schema = {{"type", {"string", "integer"}}};
      if (schema.empty() && field.kind != Kind::Json) schema = {{"type", "string"}};
      break;
  }
  if (field.repeated) {
    schema = {{"type", "array"}, {"items", std::move(schema)}};
    if (field.max_count != 0) schema["maxItems"] = field.max_count;
  }
  std::string about(field.help);
  if (field.kind == Kind::Duration) about += " Seconds, or a string such as 90s or 5m.";
  if (field.kind == Kind::Time) about += " RFC 3339, or a duration from now such as 24h.";
  if (field.kind == Kind::Media)
    about += " A path on the machine that runs svc, a URL or a data: URL.";
  if (!field.suggests.empty())
    about += fmt::format(" For example: {}.", join(field.suggests, ", "));
  if (!field.fallback.empty()) about += fmt::format(" Default: {}.", field.fallback);
  schema["description"] = std::move(about);
  return schema;
}

bool has_structured_result(const Operation& operation) {
  return !operation.answer.empty() && operation.tool.empty() && operation.reply != Reply::Bytes;
}

/// Clients enforce it, so it is lenient. A list is an object with `items`.
OrderedJson result_schema(const Operation& operation) {
  OrderedJson schema = docgen::item_schema(operation, docgen::Strictness::Lenient);
  if (operation.items.empty()) {
    schema["type"] = "object";
    return schema;
  }
  return {{"type", "object"},
          {"properties", {{"items", {{"type", "array"}, {"items", std::move(schema)}}}}}};
}

/// A help text in the words of a tool: its arguments instead of flags, and without the mark that
/// only a help explains.
std::string tool_words(const Operation& operation, sv help) {
  std::string text = replace_all(std::string(help), " †", "");
  const auto word = [](char c) { return is_letter(c) || is_digit(c) || c == '-'; };
  for (std::size_t at = text.find("--"); at != sv::npos; at = text.find("--", at + 1)) {
    std::size_t end = at + 2;
    while (end < text.size() && word(text[end])) ++end;
    const sv flag = sv(text).substr(at + 2, end - at - 2);
    const bool off = flag.starts_with("no-");
    const Field* field = find_field(operation, off ? flag.substr(3) : flag);
    if (field == nullptr || !is_argument(operation, *field)) continue;
    text.replace(at, end - at, argument_name(*field) + (off ? ": false" : ""));
  }
  return text;
}

OrderedJson tool_of(const Operation& operation) {
  OrderedJson properties = OrderedJson::object();
  OrderedJson required = OrderedJson::array();
  for (const Field& field : operation.fields) {
    if (!is_argument(operation, field)) continue;
    const std::string name = argument_name(field);
    OrderedJson& schema = properties[name] = schema_of_argument(field);
    schema["description"] = tool_words(operation, schema["description"].get<std::string>());
    if (field.required) required.push_back(name);
  }
  OrderedJson schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  std::string about = tool_words(operation, operation.summary);
  for (const Rule& rule : operation.rules) {
    const Field* one = find_field(operation, rule.flag);
    const Field* other = find_field(operation, rule.other);
    if (rule.kind != RuleKind::Either || one == nullptr || other == nullptr) continue;
    if (!is_argument(operation, *one) || !is_argument(operation, *other)) continue;
    about += fmt::format(" Requires {} or {}.", argument_name(*one), argument_name(*other));
  }
  const bool reads = is_read_only(operation);
  OrderedJson tool = {
      {"name", tool_name(operation)},
      {"title", fmt::format("svc {}", command_name(operation, true))},
      {"description", std::move(about)},
      {"inputSchema", std::move(schema)},
      {"annotations",
       {{"title", fmt::format("svc {}", command_name(operation, true))},
        {"readOnlyHint", reads},
        {"destructiveHint", !reads && is_destructive(operation)},
        {"idempotentHint", operation.repeat == Repeat::Always || operation.method == "PUT" ||
                               operation.method == "DELETE"},
        {"openWorldHint", true}}}};
  if (has_structured_result(operation)) tool["outputSchema"] = result_schema(operation);
  return tool;
}

}  // namespace svc::cli
