// Validates a schema before a request is sent, and reports the position of an error.
#include "json/schema_read.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/url.h"
#include "json/document.h"
#include "json/metaschema.h"
#include "json/uri_reference.h"

namespace svc {
namespace {

using nlohmann::json;

constexpr int k_max_schema_depth = 256;

enum class ValueKind : std::uint8_t {
  Schema,      ///< a schema
  Schemas,     ///< a non-empty array of schemas
  Items,       ///< a schema, or (draft 7) an array of schemas
  Members,     ///< an object of schemas
  Dependents,  ///< (draft 7) an object of schemas or arrays of names
  Names,       ///< an array of strings
  NameLists,   ///< an object of arrays of strings
  Count,       ///< an integer, not negative
  Number,
  Positive,
  Flag,
  Text,
  Pattern,
  Reference,
  Identifier,  ///< $id
  Anchor,
  Types,
  Values,  ///< an array
  Refused,
};

struct Keyword {
  std::string_view name;
  ValueKind value_kind;
};

constexpr std::array k_keywords = {
    Keyword{"$ref", ValueKind::Reference},
    Keyword{"$dynamicRef", ValueKind::Reference},
    Keyword{"$recursiveRef", ValueKind::Refused},
    Keyword{"$id", ValueKind::Identifier},
    Keyword{"$anchor", ValueKind::Anchor},
    Keyword{"$dynamicAnchor", ValueKind::Anchor},
    Keyword{"$defs", ValueKind::Members},
    Keyword{"definitions", ValueKind::Members},
    Keyword{"type", ValueKind::Types},
    Keyword{"enum", ValueKind::Values},
    Keyword{"multipleOf", ValueKind::Positive},
    Keyword{"maximum", ValueKind::Number},
    Keyword{"exclusiveMaximum", ValueKind::Number},
    Keyword{"minimum", ValueKind::Number},
    Keyword{"exclusiveMinimum", ValueKind::Number},
    Keyword{"maxLength", ValueKind::Count},
    Keyword{"minLength", ValueKind::Count},
    Keyword{"pattern", ValueKind::Pattern},
    Keyword{"items", ValueKind::Items},
    Keyword{"additionalItems", ValueKind::Schema},
    Keyword{"prefixItems", ValueKind::Schemas},
    Keyword{"contains", ValueKind::Schema},
    Keyword{"minContains", ValueKind::Count},
    Keyword{"maxContains", ValueKind::Count},
    Keyword{"maxItems", ValueKind::Count},
    Keyword{"minItems", ValueKind::Count},
    Keyword{"uniqueItems", ValueKind::Flag},
    Keyword{"unevaluatedItems", ValueKind::Schema},
    Keyword{"properties", ValueKind::Members},
    Keyword{"patternProperties", ValueKind::Members},
    Keyword{"additionalProperties", ValueKind::Schema},
    Keyword{"unevaluatedProperties", ValueKind::Schema},
    Keyword{"propertyNames", ValueKind::Schema},
    Keyword{"required", ValueKind::Names},
    Keyword{"minProperties", ValueKind::Count},
    Keyword{"maxProperties", ValueKind::Count},
    Keyword{"dependentRequired", ValueKind::NameLists},
    Keyword{"dependentSchemas", ValueKind::Members},
    Keyword{"dependencies", ValueKind::Dependents},
    Keyword{"allOf", ValueKind::Schemas},
    Keyword{"anyOf", ValueKind::Schemas},
    Keyword{"oneOf", ValueKind::Schemas},
    Keyword{"not", ValueKind::Schema},
    Keyword{"if", ValueKind::Schema},
    Keyword{"then", ValueKind::Schema},
    Keyword{"else", ValueKind::Schema},
    Keyword{"title", ValueKind::Text},
    Keyword{"description", ValueKind::Text},
};

constexpr std::array<std::string_view, 7> k_types = {"null",   "boolean", "object", "array",
                                                     "number", "string",  "integer"};

const Keyword* find_keyword(std::string_view name) {
  for (const Keyword& keyword : k_keywords) {
    if (keyword.name == name) return &keyword;
  }
  return nullptr;
}

Error invalid_schema(const std::string& where, const std::string& why) {
  const std::string place = where.empty() ? "" : visible(where, Lines::Escape) + ": ";
  return usage_error(fmt::format("not a valid JSON Schema: {}{}", place, why));
}

Error unexpected(const std::string& where, sv expected, const json& value) {
  return invalid_schema(where, fmt::format("expected {}, got {}", expected, shown_value(value)));
}

bool is_non_negative_integer(const json& value) {
  if (!value.is_number()) return false;
  const auto number = value.get<double>();
  return number >= 0 && number < 1e15 && std::floor(number) == number;
}

bool is_string_array(const json& value) {
  return value.is_array() &&
         std::all_of(value.begin(), value.end(), [](const json& one) { return one.is_string(); });
}

bool is_anchor(sv name) {
  return !name.empty() && (is_letter(name.front()) || name.front() == '_') &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.';
         });
}

/// Returns the expected kind of value if `value` is of another kind, else "".
sv unmet_requirement(ValueKind value_kind, const json& value) {
  const auto unless = [](bool good, sv expected) { return good ? sv() : expected; };
  switch (value_kind) {
    case ValueKind::Names:
      return unless(is_string_array(value), "an array of strings");
    case ValueKind::NameLists:
      return unless(value.is_object() && std::all_of(value.begin(), value.end(), is_string_array),
                    "an object of arrays of strings");
    case ValueKind::Count:
      return unless(is_non_negative_integer(value), "an integer, 0 or more");
    case ValueKind::Number:
      return unless(value.is_number(), "a number");
    case ValueKind::Positive:
      return unless(value.is_number() && value.get<double>() > 0, "a number greater than 0");
    case ValueKind::Flag:
      return unless(value.is_boolean(), "true or false");
    case ValueKind::Text:
    case ValueKind::Pattern:
    case ValueKind::Reference:
    case ValueKind::Identifier:
      return unless(value.is_string(), "a string");
    case ValueKind::Anchor:
      return unless(value.is_string() && is_anchor(value.get_ref<const std::string&>()),
                    "a name of letters, digits, _, - and . that starts with a letter or _");
    case ValueKind::Values:
      return unless(value.is_array(), "an array");
    case ValueKind::Schemas:
      return unless(value.is_array() && !value.empty(), "a non-empty array of schemas");
    case ValueKind::Members:
    case ValueKind::Dependents:
      return unless(value.is_object(), "an object of schemas");
    default:
      return {};
  }
}

Result<void> check_types(const json& value, const std::string& where) {
  const auto check = [&](const json& one) -> Result<void> {
    if (!one.is_string()) return unexpected(where, "a type name", one);
    const std::string& name = one.get_ref<const std::string&>();
    if (std::find(k_types.begin(), k_types.end(), name) != k_types.end()) return {};
    const sv near = nearest(name, k_types);
    return invalid_schema(
        where,
        near.empty()
            ? fmt::format("unknown type {} (known: {})", shown_value(one), fmt::join(k_types, ", "))
            : fmt::format("unknown type {} (did you mean \"{}\"?)", shown_value(one), near));
  };
  if (!value.is_array()) return check(value);
  for (const json& one : value) SVC_CHECK(check(one));
  return {};
}

/// Examines a document schema by schema. References are resolved once all identifiers are known.
class SchemaCompiler {
 public:
  explicit SchemaCompiler(SchemaParts& parts) : m_parts(parts) {}

  Result<void> run() {
    SVC_CHECK(visit(*m_parts.documents.front(), "", nullptr, 0));
    for (; !m_pending.empty(); m_pending.pop_front()) SVC_CHECK(resolve(m_pending.front()));
    return {};
  }

 private:
  struct Reference {
    const json* value = nullptr;
    std::string where{};
    const SchemaResource* home = nullptr;
  };

  Result<void> visit(const json& schema, const std::string& where, SchemaResource* home,
                     int depth) {
    if (!schema.is_boolean() && !schema.is_object()) {
      return unexpected(where, "a schema (an object, true or false)", schema);
    }
    if (depth > k_max_schema_depth) {
      return invalid_schema(where,
                            fmt::format("nested deeper than {} schemas", k_max_schema_depth));
    }
    if (home == nullptr || (schema.is_object() && schema.contains("$id"))) {
      SVC_TRY(own, open_resource(schema, where, home));
      home = own;
    }
    // A pointer into an unknown keyword may lead to a schema that was already examined.
    if (!m_parts.resource_by_schema.emplace(&schema, home).second || schema.is_boolean()) return {};
    for (const auto& [name, value] : schema.items()) {
      const Keyword* keyword = find_keyword(name);
      if (keyword == nullptr) continue;
      const std::string place = pointer_to(where, name);
      if (const sv expected = unmet_requirement(keyword->value_kind, value); !expected.empty()) {
        return unexpected(place, expected, value);
      }
      m_parts.has_unevaluated = m_parts.has_unevaluated || name.starts_with("unevaluated");
      SVC_CHECK(visit_keyword(*keyword, schema, value, place, *home, depth));
    }
    return {};
  }

  /// The resource that starts at `schema`, or the enclosing one if `schema` has no `$id` of
  /// another.
  Result<SchemaResource*> open_resource(const json& schema, const std::string& where,
                                        SchemaResource* enclosing) {
    std::string uri = enclosing == nullptr ? "" : enclosing->uri;
    const bool ignored = m_parts.lone_references && enclosing != nullptr && schema.is_object() &&
                         keyword_of(schema, "$ref") != nullptr;
    const json* id = schema.is_object() && !ignored ? keyword_of(schema, "$id") : nullptr;
    if (id != nullptr && id->is_string()) {
      const std::string& text = id->get_ref<const std::string&>();
      // Up to draft 7, anchors were written this way.
      if (text.size() > 1 && text.starts_with('#') && enclosing != nullptr) return enclosing;
      uri = resolve_uri(uri, text);
      const std::size_t fragment = std::min(uri.find('#'), uri.size());
      if (fragment + 1 < uri.size()) {
        return invalid_schema(where + "/$id",
                              fmt::format("{} has a fragment; use \"$anchor\"", shown_value(*id)));
      }
      uri.erase(fragment);
    }
    const auto [entry, inserted] = m_parts.resources.try_emplace(uri);
    if (!inserted && entry->second.root != &schema) {
      if (enclosing != nullptr && uri == enclosing->uri) return enclosing;
      return invalid_schema(where + "/$id",
                            fmt::format("{} is the $id of another schema in this document",
                                        id == nullptr ? "this" : shown_value(*id)));
    }
    entry->second.uri = uri;
    entry->second.root = &schema;
    return &entry->second;
  }

  Result<void> visit_keyword(const Keyword& keyword, const json& schema, const json& value,
                             const std::string& where, SchemaResource& home, int depth) {
    const auto each = [&]() -> Result<void> {
      for (const auto& [member, one] : value.items()) {
        if (keyword.value_kind == ValueKind::Dependents && is_string_array(one)) continue;
        SVC_CHECK(visit(one, pointer_to(where, member), &home, depth + 1));
      }
      return {};
    };
    switch (keyword.value_kind) {
      case ValueKind::Types:
        return check_types(value, where);
      case ValueKind::Schema:
        return visit(value, where, &home, depth + 1);
      case ValueKind::Items:
        return value.is_array() ? each() : visit(value, where, &home, depth + 1);
      case ValueKind::Members:
        if (keyword.name == "patternProperties") {
          for (const auto& [pattern, one] : value.items()) {
            SVC_CHECK(add_pattern(pattern, pointer_to(where, pattern)));
          }
        }
        return each();
      case ValueKind::Schemas:
      case ValueKind::Dependents:
        return each();
      case ValueKind::Pattern:
        return add_pattern(value.get<std::string>(), where);
      case ValueKind::Reference:
        m_parts.has_dynamic_references =
            m_parts.has_dynamic_references || keyword.name == "$dynamicRef";
        m_pending.push_back({&value, where, &home});
        return {};
      case ValueKind::Identifier:
      case ValueKind::Anchor:
        return add_anchor(keyword, schema, value.get_ref<const std::string&>(), where, home);
      case ValueKind::Refused:
        return invalid_schema(
            where, fmt::format("{} belongs to draft 2019-09; use \"$dynamicRef\"", keyword.name));
      default:
        return {};
    }
  }

  static Result<void> add_anchor(const Keyword& keyword, const json& schema,
                                 const std::string& text, const std::string& where,
                                 SchemaResource& home) {
    const bool identifier = keyword.value_kind == ValueKind::Identifier;
    if (identifier && (text.size() < 2 || !text.starts_with('#'))) return {};
    const std::string name = identifier ? text.substr(1) : text;
    const auto [found, inserted] = home.anchors.emplace(name, &schema);
    if (!inserted && found->second != &schema) {
      return invalid_schema(where, fmt::format("the anchor {} is used twice", shown(name)));
    }
    if (keyword.name == "$dynamicAnchor") home.dynamic_anchors.insert(name);
    return {};
  }

  Result<void> add_pattern(const std::string& text, const std::string& where) {
    if (m_parts.patterns.contains(text)) return {};
    auto pattern = Pattern::compile(text);
    if (!pattern) {
      if (pattern.error().fault != Fault::Usage) return pattern.error();
      return invalid_schema(where, fmt::format("{} is not a valid pattern: {}",
                                               shown_value(json(text)), pattern.error().message));
    }
    m_parts.patterns.emplace(text, *std::move(pattern));
    return {};
  }

  Result<void> resolve(const Reference& reference) {
    const std::string full =
        resolve_uri(reference.home->uri, reference.value->get_ref<const std::string&>());
    const std::size_t end = std::min(full.find('#'), full.size());
    const std::string uri = full.substr(0, end);
    const std::string fragment = percent_decode(sv(full).substr(std::min(end + 1, full.size())));
    if (uri == k_metaschema_uri && !m_parts.resources.contains(uri)) SVC_CHECK(add_metaschema());
    const auto resource = m_parts.resources.find(uri);
    if (resource == m_parts.resources.end()) {
      return invalid_schema(
          reference.where,
          fmt::format("{} is not in this document, and svc does not fetch schemas: "
                      "add that schema, with its $id, to $defs",
                      shown_value(*reference.value)));
    }
    SchemaTarget target{resource->second.root};
    SchemaResource* home = &resource->second;
    if (fragment.starts_with('/')) {
      target.schema = follow(fragment, home);
    } else if (!fragment.empty()) {
      const auto anchor = home->anchors.find(fragment);
      target.schema = anchor == home->anchors.end() ? nullptr : anchor->second;
      if (home->dynamic_anchors.contains(fragment)) target.dynamic_anchor = fragment;
    }
    if (target.schema == nullptr) {
      return invalid_schema(reference.where, fmt::format("{} does not exist in this document",
                                                         shown_value(*reference.value)));
    }
    // The value of an unknown keyword becomes a schema if it is referred to.
    if (!m_parts.resource_by_schema.contains(target.schema)) {
      SVC_CHECK(visit(*target.schema, fragment, home, 0));
    }
    m_parts.targets.emplace(reference.value, std::move(target));
    return {};
  }

  Result<void> add_metaschema() {
    m_parts.documents.push_back(std::make_shared<const json>(json::parse(k_metaschema)));
    return visit(*m_parts.documents.back(), "", nullptr, 0);
  }

  /// Follows a JSON pointer from the root of resource `home`. Returns the value or null, and sets
  /// `home` to the resource that contains it.
  const json* follow(const std::string& pointer, SchemaResource*& home) const {
    const json* at = home->root;
    for (const sv part : split(sv(pointer).substr(1), '/')) {
      const std::string name = replace_all(replace_all(std::string(part), "~1", "/"), "~0", "~");
      if (at->is_array()) {
        const auto index = parse_integer(name);
        if (!index || *index < 0 || static_cast<std::size_t>(*index) >= at->size()) return nullptr;
        at = &(*at)[static_cast<std::size_t>(*index)];
      } else {
        const auto found = at->is_object() ? at->find(name) : at->end();
        if (!at->is_object() || found == at->end()) return nullptr;
        at = &*found;
      }
      const auto known = m_parts.resource_by_schema.find(at);
      if (known != m_parts.resource_by_schema.end())
        home = &m_parts.resources.at(known->second->uri);
    }
    return at;
  }

  SchemaParts& m_parts;
  std::deque<Reference> m_pending{};
};

}  // namespace

std::string pointer_to(const std::string& base, const std::string& name) {
  return base + "/" + replace_all(replace_all(name, "~", "~0"), "/", "~1");
}

Result<void> compile_schema(SchemaParts& parts) {
  const json& document = *parts.documents.front();
  const json* draft = document.is_object() ? keyword_of(document, "$schema") : nullptr;
  const std::string name = draft != nullptr && draft->is_string() ? draft->get<std::string>() : "";
  for (const char* old : {"/draft-04/", "/draft-06/", "/draft-07/"}) {
    parts.lone_references = parts.lone_references || name.find(old) != std::string::npos;
  }
  return SchemaCompiler(parts).run();
}

}  // namespace svc
