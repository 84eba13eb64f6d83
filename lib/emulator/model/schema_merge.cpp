#include "emulator/model/schema_merge.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "emulator/json/schema_match.h"

namespace svc::emulator::text {
namespace {

constexpr int k_deepest_merge = 64;

constexpr std::array<sv, 6> k_lower_limits = {"minimum",  "exclusiveMinimum", "minLength",
                                              "minItems", "minProperties",    "multipleOf"};
constexpr std::array<sv, 5> k_upper_limits = {"maximum", "exclusiveMaximum", "maxLength",
                                              "maxItems", "maxProperties"};
constexpr std::array<sv, 4> k_handled = {"$ref", "allOf", "anyOf", "oneOf"};

bool contains(std::span<const sv> words, sv word) {
  return std::ranges::find(words, word) != words.end();
}

Json as_list(const Json& value) {
  return value.is_array() ? value : Json::array({value});
}

// Of two words for a type the narrower one: an integer is a number.
Json narrower(const Json& a, const Json& b) {
  if (a == b) return a;
  if ((a == "integer" && b == "number") || (a == "number" && b == "integer")) return "integer";
  return nullptr;
}

Json intersection(const Json& a, const Json& b) {
  const Json ours = as_list(a);
  const Json theirs = as_list(b);
  Json both = Json::array();
  for (const Json& one : ours) {
    for (const Json& other : theirs) {
      if (one == other || !narrower(one, other).is_null()) {
        both.push_back(one == other ? one : narrower(one, other));
        break;
      }
    }
  }
  return both;
}

Json both_of(const Json& a, const Json& b) {
  return a == b ? a : Json{{"allOf", Json::array({a, b})}};
}

void join_properties(Json& into, const Json& more) {
  for (const auto& [name, schema] : more.items()) {
    into[name] = into.contains(name) ? both_of(into[name], schema) : schema;
  }
}

// Joins one word that both schemas use.
bool join_word(Json& base, const std::string& word, const Json& value) {
  Json& old = base[word];
  if (word == "type" || word == "enum") {
    old = intersection(old, value);
    return !old.empty();
  }
  if (word == "const") return old == value;
  if (word == "properties" && old.is_object() && value.is_object()) {
    join_properties(old, value);
  } else if (word == "required" && old.is_array() && value.is_array()) {
    for (const Json& name : value) {
      if (std::ranges::find(old, name) == old.end()) old.push_back(name);
    }
  } else if (old.is_number() && value.is_number()) {
    if (contains(k_lower_limits, word)) old = std::max(old, value);
    if (contains(k_upper_limits, word)) old = std::min(old, value);
  } else if (word == "items" || word == "additionalProperties") {
    old = both_of(old, value);
  } else if (word == "uniqueItems") {
    old = flag_of(base, word, false) || value == Json(true);
  } else if (word == "not") {
    old = Json{{"anyOf", Json::array({old, value})}};
  } else if (word == "pattern" || word == "format") {
    return true;  // the first one counts; whether the value fits both is not looked at
  }
  return true;
}

}  // namespace

bool add_schema(const Json& schema, const Json& root, Json& base, std::vector<const Json*>& choices,
                int depth) {
  if (schema.is_boolean()) return schema.get<bool>();
  if (!schema.is_object() || depth > k_deepest_merge) return false;
  for (const auto& [word, value] : schema.items()) {
    if (contains(k_handled, word)) continue;
    if (!base.contains(word)) {
      base[word] = value;
    } else if (!join_word(base, word, value)) {
      return false;
    }
  }
  if (const Json* reference = member(schema, "$ref")) {
    const Json* target =
        reference->is_string() ? resolve_reference(root, reference->get<std::string>()) : nullptr;
    if (target == nullptr || !add_schema(*target, root, base, choices, depth + 1)) return false;
  }
  if (const Json* all = member(schema, "allOf"); all != nullptr && all->is_array()) {
    for (const Json& one : *all) {
      if (!add_schema(one, root, base, choices, depth + 1)) return false;
    }
  }
  for (const sv word : {sv("anyOf"), sv("oneOf")}) {
    const Json* options = member(schema, word);
    if (options != nullptr && options->is_array() && !options->empty()) choices.push_back(options);
  }
  return true;
}

}  // namespace svc::emulator::text
