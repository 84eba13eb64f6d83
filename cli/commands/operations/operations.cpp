// `svc operations`: prints the catalogue of operations.
#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "catalogue/local_commands_fields.h"
#include "catalogue/members.h"
#include "commands/command.h"
#include "docgen/asyncapi.h"
#include "docgen/describe.h"
#include "docgen/openapi.h"
#include "json/document.h"
#include "operation/runner.h"
#include "print/json.h"
#include "request/text_format.h"

namespace svc::cli {
namespace {

using OperationsFlags = Flags<catalogue::tool_commands::k_operations_fields>;

// The words for the enumeration's values, in order.
constexpr std::array<sv, 12> k_kind_words = {"text",     "integer",      "number", "boolean",
                                             "json",     "text or json", "file",   "media",
                                             "duration", "time",         "money",  "secret"};
constexpr std::array<sv, 6> k_in_words = {"path", "query", "body", "form", "messages", "local"};
constexpr std::array<sv, 5> k_host_words = {"inference", "realtime", "management", "docs", "local"};
constexpr std::array<sv, 4> k_status_words = {"current", "deprecated", "ignored", "unsupported"};
static_assert(k_kind_words.size() == static_cast<std::size_t>(Kind::Secret) + 1 &&
              k_in_words.size() == static_cast<std::size_t>(In::Local) + 1 &&
              k_host_words.size() == static_cast<std::size_t>(Host::Local) + 1 &&
              k_status_words.size() == static_cast<std::size_t>(Status::Unsupported) + 1);

template <typename Enum>
sv word(std::span<const sv> words, Enum value) {
  return words[static_cast<std::size_t>(value)];
}

OrderedJson list(std::span<const sv> words) {
  OrderedJson out = OrderedJson::array();
  for (const sv one : words) out.push_back(one);
  return out;
}

OrderedJson describe(const Field& field) {
  OrderedJson out = {{"flag", fmt::format("--{}", field.flag)},
                     {"member", field.path},
                     {"type", word(k_kind_words, field.kind)},
                     {"in", word(k_in_words, field.in)},
                     {"help", command_line_help(field)},
                     {"required", field.required},
                     {"repeated", field.repeated},
                     {"positional", field.positional},
                     {"status", word(k_status_words, field.status)}};
  if (field.letter != 0) out["letter"] = fmt::format("-{}", field.letter);
  if (field.range && !field.range->unit.empty()) out["unit"] = field.range->unit;
  if (field.range) {
    out["minimum"] = field.range->min;
    if (field.range->max < k_no_max) out["maximum"] = field.range->max;
  }
  if (!field.choices.empty()) out["choices"] = list(field.choices);
  if (!field.suggests.empty()) out["suggestions"] = list(field.suggests);
  if (field.form != TextFormat::Any) out["form"] = request::describe_format(field.form);
  if (field.max_count != 0) out["max_count"] = field.max_count;
  if (field.max_length != 0) out["max_length"] = field.max_length;
  if (field.max_bytes != 0) out["max_bytes"] = field.max_bytes;
  if (field.max_days != 0) out["max_days"] = field.max_days;
  if (!field.needs.empty()) out["needs_one_of"] = list(split(field.needs, '|'));
  if (!field.null_word.empty()) out["null"] = field.null_word;
  if (field.quoted) out["quoted"] = true;
  if (!field.fallback.empty()) out["default"] = field.fallback;
  if (!field.example.empty()) out["example"] = field.example;
  return out;
}

constexpr std::array<sv, 4> k_show_words = {"always", "always", "details", "never"};
// In the order of Unit; units that only choose a form of text are counted as what they are.
constexpr std::array<sv, 14> k_unit_words = {
    "",    "count", "count", "bytes",       "seconds", "time",  "ticks",
    "url", "",      "cents", "micro cents", "credit",  "month", ""};
static_assert(k_show_words.size() == static_cast<std::size_t>(Show::Never) + 1 &&
              k_unit_words.size() == static_cast<std::size_t>(Unit::KeyState) + 1);

sv type_of(const Member& member) {
  const bool is_object = member.shape != nullptr && member.kind == Kind::Json;
  if (is_object) return "object";
  return member.shape != nullptr ? "text or object" : word(k_kind_words, member.kind);
}

OrderedJson describe(const OpenMember& one) {
  const Member& member = *one.member;
  OrderedJson out = {{"path", plain_path(one.path)}, {"type", type_of(member)},
                     {"label", label_of(member)},    {"required", member.required},
                     {"nullable", member.nullable},  {"text", word(k_show_words, one.show)}};
  if (!member.hidden_because.empty() && one.show == Show::Never) {
    out["because"] = member.hidden_because;
  }
  if (!one.variant.empty()) out["variant"] = one.variant;
  if (one.path.ends_with(')')) out["wrapper"] = true;
  if (member.shape != nullptr) out["shape"] = member.shape->name;
  if (!member.help.empty()) out["help"] = member.help;
  if (const sv unit = word(k_unit_words, member.unit); !unit.empty()) out["unit"] = unit;
  if (!member.choices.empty()) out["choices"] = list(member.choices);
  return out;
}

OrderedJson describe(std::span<const Member> members) {
  std::vector<OpenMember> all = open_members(members);
  std::map<std::string, Show> viewed;  // by what is shown in another member's place
  for (const OpenMember& one : all) {
    if (!one.member->view) continue;
    for (const sv path : split(one.path, '|')) viewed.emplace(path, one.show);
  }
  OrderedJson out = OrderedJson::array();
  for (OpenMember& one : all) {
    if (one.member->view) continue;
    const auto view = viewed.find(replace_all(one.path, "[]", ""));
    if (view != viewed.end()) one.show = std::min(one.show, view->second);
    out.push_back(describe(one));
  }
  return out;
}

OrderedJson describe(const Rule& rule) {
  return {{"rule", word(docgen::k_rule_words, rule.kind)},
          {"flag", fmt::format("--{}", rule.flag)},
          {"other", fmt::format("--{}", rule.other)},
          {"reason", rule.why}};
}

std::string request_line(const Operation& operation) {
  if (operation.host == Host::Local) return {};
  return fmt::format("{} {}{}", operation.method, operation.path,
                     operation.source == Source::Observed ? " †" : "");
}

OrderedJson describe(const Operation& operation) {
  OrderedJson out = {{"command", command_name(operation, true)},
                     {"group", operation.group},
                     {"verb", operation.name},
                     {"summary", operation.summary},
                     {"host", word(k_host_words, operation.host)},
                     {"request", request_line(operation)},
                     {"method", operation.method},
                     {"path", operation.path},
                     {"documented", operation.source == Source::Documented},
                     {"streams", operation.streams},
                     {"destructive", !operation.ends.empty()}};
  if (!operation.replaced_by.empty()) out["replaced_by"] = operation.replaced_by;
  if (!operation.tool.empty()) out["tool"] = operation.tool;
  out["fields"] = OrderedJson::array();
  for (const Field& field : operation.fields) out["fields"].push_back(describe(field));
  out["rules"] = OrderedJson::array();
  for (const Rule& rule : operation.rules) out["rules"].push_back(describe(rule));
  out["list"] = prints_array(operation);
  out["answer"] = describe(printed_members(operation));
  if (!operation.bulk.flag.empty()) {
    out["bulk"] = {{"flag", fmt::format("--{}", operation.bulk.flag)},
                   {"record", describe(operation.bulk.record)}};
  }
  out["events"] = OrderedJson::array();
  for (const StreamEvent& event : operation.events) {
    out["events"].push_back({{"type", event.name},
                             {"from", event.from_client ? "client" : "service"},
                             {"help", event.help},
                             {"members", describe(event.members)}});
  }
  out["examples"] = OrderedJson::array();
  for (const Example& example : operation.examples) {
    out["examples"].push_back({{"command", example.command}, {"says", example.says}});
  }
  return out;
}

}  // namespace

template <>
Result<void> run<Handler::Operations>(Session& session) {
  if (OperationsFlags(session.inputs()).is_true<"openapi">()) {
    const std::string document = docgen::openapi_document(groups(), SVC_VERSION);
    if (session.format() == Format::Text) return print::print_json(session.out(), document);
    return session.write_document(document);
  }
  if (OperationsFlags(session.inputs()).is_true<"asyncapi">()) {
    const std::string document = docgen::asyncapi_document(groups(), SVC_VERSION);
    if (session.format() == Format::Text) return print::print_json(session.out(), document);
    return session.write_document(document);
  }
  OrderedJson all = OrderedJson::array();
  for (const Group& group : groups()) {
    for (const Operation& operation : group.operations) all.push_back(describe(operation));
  }
  return print_list(session, all);
}

}  // namespace svc::cli
