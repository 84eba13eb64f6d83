// Is a schema one? What is wrong with it is told with its place before anything is sent.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/document.h"
#include "json/schema_parts.h"

namespace svc {
namespace {

using nlohmann::json;

constexpr int k_deepest_schema = 256;

enum class Holds : std::uint8_t {
  Schema,      ///< a schema
  Schemas,     ///< an array of them, not empty
  Items,       ///< one, or (draft 7) an array of them
  Members,     ///< an object of them
  Dependents,  ///< (draft 7) an object of them, or of arrays of names
  Names,       ///< an array of texts
  NameLists,   ///< an object of such
  Count,       ///< a whole number, not negative
  Number,
  Positive,
  Flag,
  Text,
  Pattern,
  Reference,
  Types,
  Values,  ///< an array
  Refused,
};

struct Keyword {
  std::string_view name;
  Holds holds;
};

constexpr std::array k_keywords = {
    Keyword{"$ref", Holds::Reference},
    Keyword{"$dynamicRef", Holds::Refused},
    Keyword{"$recursiveRef", Holds::Refused},
    Keyword{"$anchor", Holds::Text},
    Keyword{"$defs", Holds::Members},
    Keyword{"definitions", Holds::Members},
    Keyword{"type", Holds::Types},
    Keyword{"enum", Holds::Values},
    Keyword{"multipleOf", Holds::Positive},
    Keyword{"maximum", Holds::Number},
    Keyword{"exclusiveMaximum", Holds::Number},
    Keyword{"minimum", Holds::Number},
    Keyword{"exclusiveMinimum", Holds::Number},
    Keyword{"maxLength", Holds::Count},
    Keyword{"minLength", Holds::Count},
    Keyword{"pattern", Holds::Pattern},
    Keyword{"items", Holds::Items},
    Keyword{"additionalItems", Holds::Schema},
    Keyword{"prefixItems", Holds::Schemas},
    Keyword{"contains", Holds::Schema},
    Keyword{"minContains", Holds::Count},
    Keyword{"maxContains", Holds::Count},
    Keyword{"maxItems", Holds::Count},
    Keyword{"minItems", Holds::Count},
    Keyword{"uniqueItems", Holds::Flag},
    Keyword{"unevaluatedItems", Holds::Schema},
    Keyword{"properties", Holds::Members},
    Keyword{"patternProperties", Holds::Members},
    Keyword{"additionalProperties", Holds::Schema},
    Keyword{"unevaluatedProperties", Holds::Schema},
    Keyword{"propertyNames", Holds::Schema},
    Keyword{"required", Holds::Names},
    Keyword{"minProperties", Holds::Count},
    Keyword{"maxProperties", Holds::Count},
    Keyword{"dependentRequired", Holds::NameLists},
    Keyword{"dependentSchemas", Holds::Members},
    Keyword{"dependencies", Holds::Dependents},
    Keyword{"allOf", Holds::Schemas},
    Keyword{"anyOf", Holds::Schemas},
    Keyword{"oneOf", Holds::Schemas},
    Keyword{"not", Holds::Schema},
    Keyword{"if", Holds::Schema},
    Keyword{"then", Holds::Schema},
    Keyword{"else", Holds::Schema},
    Keyword{"title", Holds::Text},
    Keyword{"description", Holds::Text},
};

constexpr std::array<std::string_view, 7> k_types = {"null",   "boolean", "object", "array",
                                                     "number", "string",  "integer"};

const Keyword* find_keyword(std::string_view name) {
  for (const Keyword& keyword : k_keywords) {
    if (keyword.name == name) return &keyword;
  }
  return nullptr;
}

Error no_schema(const std::string& where, const std::string& why) {
  return usage_error(fmt::format("it is no JSON Schema: at {}: {}",
                                 where.empty() ? "its root" : visible(where, Lines::Escape), why));
}

bool is_count(const json& value) {
  if (!value.is_number()) return false;
  const auto number = value.get<double>();
  return number >= 0 && number < 1e15 && std::floor(number) == number;
}

bool is_names(const json& value) {
  return value.is_array() &&
         std::all_of(value.begin(), value.end(), [](const json& one) { return one.is_string(); });
}

/// Why a plain value does not do, or "".
std::string plain_fault(Holds holds, const json& value) {
  const auto lists = [&] {
    return value.is_object() && std::all_of(value.begin(), value.end(), is_names);
  };
  switch (holds) {
    case Holds::Names:
      return is_names(value) ? "" : "this is an array of texts";
    case Holds::NameLists:
      return lists() ? "" : "this is an object of arrays of texts";
    case Holds::Count:
      return is_count(value) ? "" : "this is a whole number, not negative";
    case Holds::Number:
      return value.is_number() ? "" : "this is a number";
    case Holds::Positive:
      return value.is_number() && value.get<double>() > 0 ? "" : "this is a number above 0";
    case Holds::Flag:
      return value.is_boolean() ? "" : "this is true or false";
    case Holds::Text:
    case Holds::Pattern:
    case Holds::Reference:
      return value.is_string() ? "" : "this is a text";
    case Holds::Values:
      return value.is_array() ? "" : "this is an array";
    case Holds::Refused:
      return "this keyword is not understood here";
    default:
      return "";
  }
}

Result<void> check_types(const json& value, const std::string& where) {
  const json types = value.is_array() ? value : json::array({value});
  for (const json& one : types) {
    const std::string name = one.is_string() ? one.get<std::string>() : compact_json(one);
    if (std::find(k_types.begin(), k_types.end(), name) != k_types.end()) continue;
    const sv near = nearest(name, k_types);
    return no_schema(where,
                     fmt::format("there is no type {}{}", visible(excerpt(name, 60), Lines::Escape),
                                 near.empty() ? "" : fmt::format("; {} is one", near)));
  }
  return {};
}

}  // namespace

std::string pointer_to(const std::string& base, const std::string& name) {
  return base + "/" + replace_all(replace_all(name, "~", "~0"), "/", "~1");
}

const json* SchemaParts::resolve(const std::string& reference) const {
  if (!reference.starts_with('#')) return nullptr;
  if (reference.size() == 1) return document.get();
  if (reference[1] != '/') {
    const auto found = anchors.find(reference.substr(1));
    return found == anchors.end() ? nullptr : found->second;
  }
  const json* at = document.get();
  for (const sv part : split(sv(reference).substr(2), '/')) {
    const std::string name =
        replace_all(replace_all(replace_all(std::string(part), "%25", "%"), "~1", "/"), "~0", "~");
    if (at->is_array()) {
      const auto index = parse_integer(name);
      if (!index || *index < 0 || static_cast<std::size_t>(*index) >= at->size()) return nullptr;
      at = &(*at)[static_cast<std::size_t>(*index)];
    } else {
      const auto found = at->is_object() ? at->find(name) : at->end();
      if (!at->is_object() || found == at->end()) return nullptr;
      at = &*found;
    }
  }
  return at->is_object() || at->is_boolean() ? at : nullptr;
}

Result<void> SchemaParts::examine_pattern(const std::string& text, const std::string& where) {
  if (patterns.contains(text)) return {};
  auto pattern = Pattern::compile(text);
  if (!pattern) {
    return no_schema(where, fmt::format("the pattern cannot be read: {}", pattern.error().message));
  }
  patterns.emplace(text, *std::move(pattern));
  return {};
}

Result<void> SchemaParts::examine_keyword(const std::string& name, const json& value,
                                          const std::string& where, int depth) {
  const Keyword* keyword = find_keyword(name);
  if (keyword == nullptr) return {};
  if (const std::string fault = plain_fault(keyword->holds, value); !fault.empty()) {
    return no_schema(where, fault);
  }
  const auto each = [&](bool lists_too) -> Result<void> {
    for (const auto& [member, one] : value.items()) {
      if (lists_too && is_names(one)) continue;
      SVC_CHECK(examine(one, pointer_to(where, member), depth + 1));
    }
    return {};
  };
  switch (keyword->holds) {
    case Holds::Types:
      return check_types(value, where);
    case Holds::Schema:
      return examine(value, where, depth + 1);
    case Holds::Items:
      return value.is_array() ? each(false) : examine(value, where, depth + 1);
    case Holds::Schemas:
      if (!value.is_array() || value.empty()) {
        return no_schema(where, "this is an array of schemas, not empty");
      }
      return each(false);
    case Holds::Members:
    case Holds::Dependents:
      if (!value.is_object()) return no_schema(where, "this is an object of schemas");
      if (name == "patternProperties") {
        for (const auto& [pattern, one] : value.items()) {
          SVC_CHECK(examine_pattern(pattern, pointer_to(where, pattern)));
        }
      }
      return each(keyword->holds == Holds::Dependents);
    case Holds::Pattern:
      return examine_pattern(value.get<std::string>(), where);
    default:
      return {};
  }
}

Result<void> SchemaParts::examine(const json& schema, const std::string& where, int depth) {
  if (schema.is_boolean()) return {};
  if (!schema.is_object()) return no_schema(where, "a schema is an object, true or false");
  if (depth > k_deepest_schema) return no_schema(where, "it is nested too deep");
  if (const auto anchor = schema.find("$anchor"); anchor != schema.end() && anchor->is_string()) {
    anchors.emplace(anchor->get<std::string>(), &schema);
  }
  for (const auto& [name, value] : schema.items()) {
    SVC_CHECK(examine_keyword(name, value, pointer_to(where, name), depth));
  }
  return {};
}

namespace {

/// Every `$ref` of a document, wherever it stands, with its place.
void find_references(const json& at, const std::string& where, bool members,
                     std::vector<std::pair<std::string, std::string>>& found) {
  if (!at.is_structured()) return;
  for (const auto& [name, value] : at.items()) {
    const std::string place = pointer_to(where, name);
    if (!members && name == "$ref" && value.is_string()) {
      found.emplace_back(place, value.get<std::string>());
    }
    if (!members &&
        (name == "enum" || name == "const" || name == "default" || name == "examples")) {
      continue;
    }
    const bool named = !members && at.is_object() &&
                       (name == "properties" || name == "$defs" || name == "definitions" ||
                        name == "patternProperties" || name == "dependentSchemas");
    find_references(value, place, named, found);
  }
}

}  // namespace

Result<void> SchemaParts::examine() {
  SVC_CHECK(examine(*document, "", 0));
  std::vector<std::pair<std::string, std::string>> references;
  find_references(*document, "", false, references);
  for (const auto& [place, reference] : references) {
    if (resolve(reference) != nullptr) continue;
    return no_schema(place, fmt::format("{} leads nowhere in this document",
                                        visible(excerpt(reference, 100), Lines::Escape)));
  }
  return {};
}

}  // namespace svc
