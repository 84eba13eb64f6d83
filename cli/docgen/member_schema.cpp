#include "docgen/member_schema.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalogue/catalogue.h"

namespace svc::docgen {
namespace {

/// Adds null to a schema with a type or a reference.
void allow_null(OrderedJson& schema) {
  if (schema.contains("$ref")) {
    schema["anyOf"] = {{{"$ref", schema["$ref"]}}, {{"type", "null"}}};
    schema.erase("$ref");
    return;
  }
  const auto type = schema.find("type");
  if (type == schema.end()) return;
  if (!type->is_array()) *type = OrderedJson::array({*type});
  if (std::ranges::find(*type, OrderedJson("null")) == type->end()) type->push_back("null");
  if (schema.contains("enum")) schema["enum"].push_back(nullptr);
}

/// Removes each "[]" at the end of a path's part and returns how many there were.
std::size_t remove_brackets(sv& part) {
  std::size_t arrays = 0;
  for (; part.ends_with("[]"); ++arrays) part.remove_suffix(2);
  return arrays;
}

/// "OutputItem" and "function_call": "OutputItemFunctionCall".
std::string variant_name(sv shape, sv variant) {
  std::string name(shape);
  bool capital = true;
  for (const char c : variant) {
    const bool of_word = is_letter(c) || is_digit(c);
    if (of_word) name += capital ? to_upper(sv(&c, 1)) : std::string(1, c);
    capital = !of_word;
  }
  return name;
}

/// What is a number in one answer is a text in another, and the other way round; money is plain or
/// an object. The documented type is the first one.
OrderedJson lenient_scalar(const Member& member) {
  const auto first = [](sv documented) {
    OrderedJson types = OrderedJson::array({documented});
    for (const sv type : {"string", "number", "boolean"}) {
      if (type != documented) types.push_back(type);
    }
    return OrderedJson{{"type", std::move(types)}};
  };
  if (member.unit == Unit::Cents || member.unit == Unit::MicroCents ||
      member.unit == Unit::Credit) {
    return OrderedJson::object();
  }
  switch (member.kind) {
    case Kind::Text:
    case Kind::Time:
      return first("string");
    case Kind::Integer:
    case Kind::Number:
      return first("number");
    case Kind::Boolean:
      return first("boolean");
    default:
      return OrderedJson::object();
  }
}

}  // namespace

OrderedJson MemberSchemas::object(std::span<const Member> members) {
  OrderedJson schema = OrderedJson::object();
  set_type(schema, "object");
  for (const Member& member : members) add(schema, member);
  return schema;
}

/// `type`, which null may replace for a lenient reader.
void MemberSchemas::set_type(OrderedJson& schema, sv type) const {
  if (schema.contains("type")) return;
  schema["type"] = type;
  if (m_lenient) allow_null(schema);
}

void MemberSchemas::add(OrderedJson& schema, const Member& member) {
  if (member.view) return;
  OrderedJson* at = &schema;
  OrderedJson* owner = nullptr;
  OrderedJson* whole = nullptr;  // the array, if the member is one
  sv last;
  for (sv part : split(member.path, '.')) {
    if (part.empty()) break;
    if (part.starts_with('(')) {  // a wrapper: its members may be here, too
      for (const Member& inner : member.shape->members) add(schema, inner);
      part = part.substr(1, part.size() - 2);
    }
    const std::size_t arrays = remove_brackets(part);
    set_type(*at, "object");
    owner = at;
    last = part;
    at = &(*at)["properties"][std::string(part)];
    whole = at;
    for (std::size_t i = 0; i < arrays; ++i) {
      set_type(*at, "array");
      at = &(*at)["items"];
    }
  }
  if (member.path.empty()) {
    for (const Member& inner : member.shape->members) add(schema, inner);
    return;
  }
  OrderedJson own = leaf(member);
  if (member.path.starts_with('(') && !at->is_null()) {  // a member of the wrapper has its name
    own = {{"anyOf", OrderedJson::array({std::move(*at), std::move(own)})}};
    *at = OrderedJson::object();
  }
  // Members of an object may have rows of their own.
  if (at->is_null()) *at = OrderedJson::object();
  for (auto& [name, value] : own.items()) {
    if (!at->contains(name)) (*at)[name] = value;
  }
  if (!m_lenient && !member.help.empty()) (*whole)["description"] = member.help;
  if (member.nullable) allow_null(*whole);
  if (!member.required || m_lenient) return;
  require_member(*owner, last);
}

OrderedJson MemberSchemas::leaf(const Member& member) {
  OrderedJson schema = member.shape != nullptr ? shape(*member.shape) : scalar(member);
  if (member.shape != nullptr && member.kind == Kind::TextOrJson) {
    schema = {{"anyOf", {{{"type", "string"}}, std::move(schema)}}};
  }
  if (m_lenient) allow_null(schema);
  return schema;
}

OrderedJson MemberSchemas::scalar(const Member& member) const {
  if (m_lenient) return lenient_scalar(member);
  const auto typed = [&](sv type, sv format = {}) {
    OrderedJson schema = {{"type", type}};
    for (const sv choice : member.choices) schema["enum"].push_back(choice);
    if (!format.empty()) schema["format"] = format;
    return schema;
  };
  switch (member.kind) {
    case Kind::Text:
      return typed("string");
    case Kind::Time:
      return typed("string", "date-time");
    case Kind::Integer:
      return typed("integer", "int64");
    case Kind::Number:
      return typed("number");
    case Kind::Boolean:
      return typed("boolean");
    case Kind::Money:
      return {{"oneOf",
               {{{"type", "object"}, {"properties", {{"val", {{"type", {"string", "integer"}}}}}}},
                {{"type", {"string", "integer"}}}}}};
    default:  // of open structure
      return OrderedJson::object();
  }
}

OrderedJson MemberSchemas::shape(const Shape& shape) {
  if (m_components == nullptr) return shape_inside(shape);
  const std::string name(shape.name);
  if (!m_components->contains(name)) {
    (*m_components)[name] = OrderedJson::object();  // ends a recursion
    OrderedJson inside = shape_inside(shape);
    (*m_components)[name] = std::move(inside);
  }
  return {{"$ref", fmt::format("#/components/schemas/{}", name)}};
}

OrderedJson MemberSchemas::shape_inside(const Shape& shape) {
  OrderedJson schema = object(shape.members);
  if (shape.variants.empty()) return schema;
  const std::string tag(shape.tag);
  if (!m_lenient && m_components != nullptr) {
    OrderedJson mapping = OrderedJson::object();
    OrderedJson any = OrderedJson::array();
    for (const Variant& one : shape.variants) {
      const std::string name = variant_name(shape.name, one.name);
      (*m_components)[name] = variant(shape, one);
      any.push_back({{"$ref", fmt::format("#/components/schemas/{}", name)}});
      mapping[std::string(one.name)] = any.back()["$ref"];
    }
    return {{"oneOf", std::move(any)},
            {"discriminator", {{"propertyName", tag}, {"mapping", std::move(mapping)}}}};
  }
  schema["properties"][tag] = {{"type", m_lenient ? OrderedJson{"string", "null"} : "string"}};
  for (const Variant& one : shape.variants) {
    if (one.members.empty()) continue;
    schema["allOf"].push_back(
        {{"if", {{"properties", {{tag, {{"const", one.name}}}}}, {"required", {tag}}}},
         {"then", object(one.members)}});
  }
  return schema;
}

/// A variant with the union's common members and its tag.
OrderedJson MemberSchemas::variant(const Shape& shape, const Variant& one) {
  OrderedJson schema = object(shape.members);
  for (const Member& member : one.members) add(schema, member);
  schema["properties"][std::string(shape.tag)] = {{"type", "string"}, {"const", one.name}};
  require_member(schema, shape.tag);
  if (!one.help.empty()) schema["description"] = one.help;
  return schema;
}

void require_member(OrderedJson& schema, sv name) {
  OrderedJson& required = schema["required"];
  if (std::ranges::find(required, OrderedJson(name)) == required.end()) required.push_back(name);
}

OrderedJson item_schema(const Operation& operation, Strictness strictness) {
  MemberSchemas schemas(strictness);
  OrderedJson whole = schemas.object(printed_members(operation));
  if (operation.items.empty() || !operation.printed.empty()) return whole;
  OrderedJson* at = &whole;
  for (const sv part : split(operation.items.substr(0, operation.items.find('|')), '.')) {
    at = &(*at)["properties"][std::string(part)];
  }
  return at->contains("items") ? (*at)["items"] : OrderedJson::object();
}

}  // namespace svc::docgen
