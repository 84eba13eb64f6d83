#include "docgen/openapi_schema.h"

#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/document.h"

namespace svc::docgen {
namespace {

/// Whole numbers without a point: 1, not 1.0.
OrderedJson bound(double value) {
  if (value == std::floor(value)) return static_cast<std::int64_t>(value);
  return value;
}

OrderedJson number_schema(const Field& field, sv type) {
  OrderedJson schema = {{"type", type}};
  if (field.range) {
    schema["minimum"] = bound(field.range->min);
    if (field.range->max < k_no_max) schema["maximum"] = bound(field.range->max);
  }
  return schema;
}

OrderedJson text_schema(const Field& field) {
  OrderedJson schema = {{"type", "string"}};
  if (field.form == TextForm::Day) schema["format"] = "date";
  if (field.form == TextForm::Country) schema["pattern"] = "^[A-Z]{2}$";
  if (field.max_length != 0) schema["maxLength"] = field.max_length;
  if (!field.choices.empty()) {
    for (const sv choice : field.choices) schema["enum"].push_back(choice);
  }
  return schema;
}

OrderedJson plain_schema(const Field& field) {
  if (field.quoted || !field.wraps.empty()) {
    return field.quoted ? OrderedJson{{"type", "string"}} : OrderedJson::object();
  }
  switch (field.kind) {
    case Kind::Integer:
      return number_schema(field, "integer");
    case Kind::Number:
      return number_schema(field, "number");
    case Kind::Boolean:
      return OrderedJson{{"type", "boolean"}};
    case Kind::Duration:
      return field.unit_ms == 0 ? OrderedJson{{"type", "string"}} : number_schema(field, "integer");
    case Kind::Time:
      return {{"type", "string"}, {"format", "date-time"}};
    case Kind::Text:
      return text_schema(field);
    case Kind::Secret:
    case Kind::File:
      return OrderedJson{{"type", "string"}};
    default:  // whatever shape the documents leave open
      return OrderedJson::object();
  }
}

/// The place of a dotted path below `schema`, made where it is missing.
OrderedJson& place_of(OrderedJson& schema, sv path) {
  OrderedJson* at = &schema;
  for (const sv name : split(path, '.')) {
    (*at)["type"] = "object";
    at = &(*at)["properties"][std::string(name)];
  }
  return *at;
}

void add_required(OrderedJson& schema, sv path) {
  if (path.find('.') == sv::npos) schema["required"].push_back(path);
}

OrderedJson described(const Field& field) {
  OrderedJson schema = schema_of(field);
  if (field.repeated) {
    schema = {{"type", "array"}, {"items", std::move(schema)}};
    if (field.max_count != 0) schema["maxItems"] = field.max_count;
  }
  schema["description"] = field.help;
  if (field.status == Status::Deprecated) schema["deprecated"] = true;
  if (field.status == Status::Ignored || field.status == Status::Unsupported) {
    schema["description"] = std::string(field.help) + (field.status == Status::Ignored
                                                           ? " The service ignores it."
                                                           : " The service does not support it.");
  }
  return schema;
}

/// What a composer makes of several flags.
void add_composed(const Operation& operation, OrderedJson& schema) {
  const auto messages = [](sv what) {
    return OrderedJson{{"type", "array"},
                       {"description", what},
                       {"items",
                        {{"type", "object"},
                         {"properties", {{"role", {{"type", "string"}}}}},
                         {"required", {"role"}}}}};
  };
  switch (operation.composer) {
    case Composer::Chat:
    case Composer::Messages:
      place_of(schema, "messages") = messages("The conversation, the oldest message first.");
      add_required(schema, "messages");
      break;
    case Composer::Responses:
      place_of(schema, "input") = {{"type", {"string", "array"}},
                                   {"description", "A text, or the conversation's items."}};
      break;
    case Composer::Prompt:
      place_of(schema, "prompt") = {{"type", {"string", "array"}},
                                    {"description", "A text, or several."}};
      break;
    case Composer::Collection:
    case Composer::None:
      break;
  }
}

}  // namespace

OrderedJson schema_of(const Field& field) {
  OrderedJson schema = plain_schema(field);
  if (!field.null_word.empty() && schema.contains("type")) {
    schema["type"] = {schema["type"], "null"};
    if (schema.contains("enum")) schema["enum"].push_back(nullptr);
  }
  return schema;
}

OrderedJson body_of(const Operation& operation) {
  if (operation.reply == Reply::Socket) return {};
  OrderedJson body;
  OrderedJson form;
  const std::string prefix =
      operation.mask ? std::string(operation.mask->wrapper) + "." : std::string();
  for (const Field& field : operation.fields) {
    if (field.alias || field.path.empty()) continue;
    if (field.in == In::Body) {
      place_of(body, prefix + std::string(field.path)).update(described(field));
      if (field.required && prefix.empty()) add_required(body, field.path);
    } else if (field.in == In::Form) {
      place_of(form, field.path).update(described(field));
      if (field.required) add_required(form, field.path);
    }
  }
  if (!operation.tool.empty()) {
    const OrderedJson text = {{"type", "string"}};
    body = {{"type", "object"},
            {"properties", {{"jsonrpc", text}, {"method", text}}},
            {"required", {"jsonrpc", "method"}}};
  }
  add_composed(operation, body);
  if (body.empty() && form.empty()) return {};
  const sv type = form.empty() ? "application/json" : "multipart/form-data";
  return {{"required", true}, {"content", {{type, {{"schema", form.empty() ? body : form}}}}}};
}

}  // namespace svc::docgen
