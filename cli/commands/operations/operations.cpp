// `svc operations`: the catalogue for people, scripts and agents.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "catalogue/catalogue.h"
#include "commands/registry.h"
#include "docgen/openapi.h"
#include "json/document.h"
#include "operation/runner.h"
#include "print/json.h"
#include "request/text_form.h"

namespace svc::cli {
namespace {

sv word(Kind kind) {
  switch (kind) {
    case Kind::Text:
      return "text";
    case Kind::Integer:
      return "integer";
    case Kind::Number:
      return "number";
    case Kind::Boolean:
      return "boolean";
    case Kind::Json:
      return "json";
    case Kind::TextOrJson:
      return "text or json";
    case Kind::File:
      return "file";
    case Kind::Media:
      return "media";
    case Kind::Duration:
      return "duration";
    case Kind::Time:
      return "time";
    case Kind::Money:
      return "money";
    case Kind::Secret:
      return "secret";
  }
  return "";
}

sv word(In in) {
  switch (in) {
    case In::Path:
      return "path";
    case In::Query:
      return "query";
    case In::Header:
      return "header";
    case In::Body:
      return "body";
    case In::Form:
      return "form";
    case In::Compose:
      return "messages";
    case In::Local:
      return "local";
  }
  return "";
}

sv word(Host host) {
  switch (host) {
    case Host::Inference:
      return "inference";
    case Host::Realtime:
      return "realtime";
    case Host::Management:
      return "management";
    case Host::Docs:
      return "docs";
    case Host::Local:
      return "local";
  }
  return "";
}

sv word(Status status) {
  switch (status) {
    case Status::Current:
      return "current";
    case Status::Deprecated:
      return "deprecated";
    case Status::Ignored:
      return "ignored";
    case Status::Unsupported:
      return "unsupported";
  }
  return "";
}

OrderedJson list(std::span<const sv> words) {
  OrderedJson out = OrderedJson::array();
  for (const sv one : words) out.push_back(one);
  return out;
}

OrderedJson describe(const Field& field) {
  OrderedJson out = {{"flag", fmt::format("--{}", field.flag)},
                     {"member", field.path},
                     {"type", word(field.kind)},
                     {"in", word(field.in)},
                     {"help", field.help},
                     {"required", field.required},
                     {"repeated", field.repeated},
                     {"positional", field.positional},
                     {"status", word(field.status)}};
  if (field.letter != 0) out["letter"] = fmt::format("-{}", field.letter);
  if (field.range && !field.range->unit.empty()) out["unit"] = field.range->unit;
  if (field.range) {
    out["minimum"] = field.range->min;
    if (field.range->max < k_no_max) out["maximum"] = field.range->max;
  }
  if (!field.choices.empty()) out["choices"] = list(field.choices);
  if (!field.suggests.empty()) out["suggestions"] = list(field.suggests);
  if (field.form != TextForm::Any) out["form"] = request::form_words(field.form);
  if (field.max_count != 0) out["max_count"] = field.max_count;
  if (field.max_length != 0) out["max_length"] = field.max_length;
  if (!field.fallback.empty()) out["default"] = field.fallback;
  if (!field.example.empty()) out["example"] = field.example;
  return out;
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
                     {"host", word(operation.host)},
                     {"request", request_line(operation)},
                     {"method", operation.method},
                     {"path", operation.path},
                     {"documented", operation.source == Source::Documented},
                     {"streams", operation.streams},
                     {"destructive", operation.destructive}};
  if (!operation.replaced_by.empty()) out["replaced_by"] = operation.replaced_by;
  if (!operation.tool.empty()) out["tool"] = operation.tool;
  out["fields"] = OrderedJson::array();
  for (const Field& field : operation.fields) out["fields"].push_back(describe(field));
  out["examples"] = OrderedJson::array();
  for (const Example& example : operation.examples) {
    out["examples"].push_back({{"command", example.command}, {"says", example.says}});
  }
  return out;
}

}  // namespace

Result<void> run_operations(Session& session) {
  if (session.invocation().is_true("openapi")) {
    const std::string document = docgen::openapi_document(groups(), SVC_VERSION);
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
