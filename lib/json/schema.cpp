#include "json/schema.h"

#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/schema_parts.h"
#include "json/schema_values.h"

namespace svc {
namespace {

using nlohmann::json;

/// A schema that leads in a circle ends here; so does work without end.
constexpr int k_deepest_check = 400;
constexpr std::size_t k_most_steps = 5'000'000;

/// What of a value a schema has looked at (for the `unevaluated` keywords).
struct Seen {
  std::set<std::string> members{};
  std::set<std::size_t> items{};
  bool all_items = false;

  void join(const Seen& other) {
    members.insert(other.members.begin(), other.members.end());
    items.insert(other.items.begin(), other.items.end());
    all_items = all_items || other.all_items;
  }
};

/// One value against one schema, with everything that is inside of both.
class Check {
 public:
  explicit Check(const SchemaParts& parts) : m_parts(parts) {}

  Misfit run(const json& schema, const json& value, const std::string& where, Seen& seen) {
    if (schema.is_boolean()) {
      return schema.get<bool>() ? Misfit() : misfit(where, "nothing may stand here");
    }
    if (++m_steps > k_most_steps || m_depth >= k_deepest_check) {
      return misfit(where, "the schema leads in a circle, or the work has no end");
    }
    ++m_depth;
    Misfit found = all_rules(schema, value, where, seen);
    --m_depth;
    return found;
  }

 private:
  Misfit all_rules(const json& schema, const json& value, const std::string& where, Seen& seen) {
    if (Misfit found = type_rules(schema, value, where)) return found;
    if (const json* reference = keyword_of(schema, "$ref")) {
      const json* target = m_parts.resolve(reference->get<std::string>());
      if (target == nullptr) return misfit(where, "a reference of the schema leads nowhere");
      if (Misfit found = run(*target, value, where, seen)) return found;
    }
    if (value.is_number()) {
      if (Misfit found = number_rules(schema, value, where)) return found;
    } else if (value.is_string()) {
      if (Misfit found = text_rules(schema, value, where)) return found;
    } else if (value.is_object()) {
      if (Misfit found = object_rules(schema, value, where, seen)) return found;
    } else if (value.is_array()) {
      if (Misfit found = array_rules(schema, value, where, seen)) return found;
    }
    if (Misfit found = joined_rules(schema, value, where, seen)) return found;
    if (Misfit found = if_rules(schema, value, where, seen)) return found;
    return left_rules(schema, value, where, seen);
  }

  Misfit text_rules(const json& schema, const json& value, const std::string& where) const {
    const std::string& text = value.get_ref<const std::string&>();
    if (Misfit f = size_rules(schema, count_code_points(text), "characters", "minLength",
                              "maxLength", where)) {
      return f;
    }
    const json* pattern = keyword_of(schema, "pattern");
    if (pattern == nullptr || m_parts.matches(pattern->get<std::string>(), text)) return {};
    return misfit(where, fmt::format("{} does not match {} (pattern)", shown_value(value),
                                     shown_value(*pattern)));
  }

  Misfit required_rules(const json& schema, const json& value, const std::string& where) const {
    const auto lacks = [&](const json& names, const std::string& why) -> Misfit {
      for (const json& name : names) {
        if (value.contains(name.get<std::string>())) continue;
        return misfit(where, fmt::format("the member {} is missing ({})", shown_value(name), why));
      }
      return {};
    };
    if (const json* names = keyword_of(schema, "required")) {
      if (Misfit found = lacks(*names, "required")) return found;
    }
    for (const char* keyword : {"dependentRequired", "dependencies"}) {
      const json* lists = keyword_of(schema, keyword);
      if (lists == nullptr) continue;
      for (const auto& [name, names] : lists->items()) {
        if (!names.is_array() || !value.contains(name)) continue;
        if (Misfit found = lacks(names, keyword)) return found;
      }
    }
    return {};
  }

  Misfit object_rules(const json& schema, const json& value, const std::string& where, Seen& seen) {
    if (Misfit f =
            size_rules(schema, value.size(), "members", "minProperties", "maxProperties", where)) {
      return f;
    }
    if (Misfit found = required_rules(schema, value, where)) return found;
    const json* properties = keyword_of(schema, "properties");
    const json* patterns = keyword_of(schema, "patternProperties");
    const json* others = keyword_of(schema, "additionalProperties");
    const json* names = keyword_of(schema, "propertyNames");
    for (const auto& [name, member] : value.items()) {
      const std::string place = pointer_to(where, name);
      if (names != nullptr) {
        Seen none;
        if (Misfit f = run(*names, json(name), place, none)) {
          return misfit(place, fmt::format("the member's name does not do: {}", f->why));
        }
      }
      bool known = false;
      if (properties != nullptr && properties->contains(name)) {
        known = true;
        if (Misfit found = run_inside((*properties)[name], member, place)) return found;
      }
      if (patterns != nullptr) {
        for (const auto& [pattern, inside] : patterns->items()) {
          if (!m_parts.matches(pattern, name)) continue;
          known = true;
          if (Misfit found = run_inside(inside, member, place)) return found;
        }
      }
      if (!known && others != nullptr) {
        known = true;
        if (*others == json(false)) {
          return misfit(place, "this member is not allowed (additionalProperties)");
        }
        if (Misfit found = run_inside(*others, member, place)) return found;
      }
      if (known) seen.members.insert(name);
    }
    for (const char* keyword : {"dependentSchemas", "dependencies"}) {
      const json* dependents = keyword_of(schema, keyword);
      if (dependents == nullptr) continue;
      for (const auto& [name, inside] : dependents->items()) {
        if (inside.is_array() || !value.contains(name)) continue;
        if (Misfit found = run(inside, value, where, seen)) return found;
      }
    }
    return {};
  }

  Misfit run_inside(const json& schema, const json& value, const std::string& where) {
    Seen inside;
    return run(schema, value, where, inside);
  }

  Misfit array_rules(const json& schema, const json& value, const std::string& where, Seen& seen) {
    if (Misfit f = size_rules(schema, value.size(), "elements", "minItems", "maxItems", where)) {
      return f;
    }
    const json* unique = keyword_of(schema, "uniqueItems");
    if (unique != nullptr && *unique == json(true) &&
        std::set<json>(value.begin(), value.end()).size() != value.size()) {
      return misfit(where, "two elements are equal (uniqueItems)");
    }
    const json* items = keyword_of(schema, "items");
    const json* prefix = keyword_of(schema, "prefixItems");
    const json* rest = items;
    if (items != nullptr && items->is_array()) {
      prefix = items;
      rest = keyword_of(schema, "additionalItems");
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      const bool early = prefix != nullptr && i < prefix->size();
      const json* inside = early ? &(*prefix)[i] : rest;
      if (inside == nullptr) break;
      if (Misfit found = run_inside(*inside, value[i], pointer_to(where, std::to_string(i)))) {
        return found;
      }
      seen.items.insert(i);
    }
    seen.all_items = seen.all_items || rest != nullptr;
    return contains_rules(schema, value, where, seen);
  }

  Misfit contains_rules(const json& schema, const json& value, const std::string& where,
                        Seen& seen) {
    const json* inside = keyword_of(schema, "contains");
    if (inside == nullptr) return {};
    std::size_t count = 0;
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (run_inside(*inside, value[i], where)) continue;
      ++count;
      seen.items.insert(i);
    }
    const json* least = keyword_of(schema, "minContains");
    if (least == nullptr && count == 0) return misfit(where, "no element fits (contains)");
    return size_rules(schema, count, "fitting elements", "minContains", "maxContains", where);
  }

  Misfit joined_rules(const json& schema, const json& value, const std::string& where, Seen& seen) {
    if (const json* all = keyword_of(schema, "allOf")) {
      for (const json& one : *all) {
        if (Misfit found = run(one, value, where, seen)) return found;
      }
    }
    for (const char* keyword : {"anyOf", "oneOf"}) {
      const json* several = keyword_of(schema, keyword);
      if (several == nullptr) continue;
      if (Misfit found = alternatives(*several, keyword, value, where, seen)) return found;
    }
    if (const json* denied = keyword_of(schema, "not")) {
      if (!run_inside(*denied, value, where))
        return misfit(where, "it fits what it must not (not)");
    }
    return {};
  }

  Misfit alternatives(const json& several, sv keyword, const json& value, const std::string& where,
                      Seen& seen) {
    std::size_t fitting = 0;
    Misfit nearest_fault;  // the alternative that fits furthest is likely the one that was meant
    for (const json& one : several) {
      Seen inside;
      const Misfit found = run(one, value, where, inside);
      if (!found) {
        ++fitting;
        seen.join(inside);
      } else if (!nearest_fault || found->where.size() > nearest_fault->where.size()) {
        nearest_fault = found;
      }
    }
    if (fitting == 0) {
      if (several.size() == 1 || nearest_fault->where.size() > where.size()) return nearest_fault;
      return misfit(where, fmt::format("it fits none of {} alternatives ({}); the first says: {}",
                                       several.size(), keyword, nearest_fault->why));
    }
    if (keyword == "oneOf" && fitting > 1) {
      return misfit(where, fmt::format("it fits {} alternatives, not one (oneOf)", fitting));
    }
    return {};
  }

  Misfit if_rules(const json& schema, const json& value, const std::string& where, Seen& seen) {
    const json* condition = keyword_of(schema, "if");
    if (condition == nullptr) return {};
    Seen inside;
    const bool fits = !run(*condition, value, where, inside);
    if (fits) seen.join(inside);
    const json* then = keyword_of(schema, fits ? "then" : "else");
    return then == nullptr ? Misfit() : run(*then, value, where, seen);
  }

  /// What no other keyword has looked at.
  Misfit left_rules(const json& schema, const json& value, const std::string& where, Seen& seen) {
    const json* members = keyword_of(schema, "unevaluatedProperties");
    if (members != nullptr && value.is_object()) {
      for (const auto& [name, member] : value.items()) {
        if (!seen.members.insert(name).second) continue;
        const std::string place = pointer_to(where, name);
        if (*members == json(false)) {
          return misfit(place, "this member is not allowed (unevaluatedProperties)");
        }
        if (Misfit found = run_inside(*members, member, place)) return found;
      }
    }
    const json* items = keyword_of(schema, "unevaluatedItems");
    if (items == nullptr || !value.is_array() || seen.all_items) return {};
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (!seen.items.insert(i).second) continue;
      if (Misfit found = run_inside(*items, value[i], pointer_to(where, std::to_string(i)))) {
        return found;
      }
    }
    seen.all_items = true;
    return {};
  }

  const SchemaParts& m_parts;
  std::size_t m_steps = 0;
  int m_depth = 0;
};

}  // namespace

JsonSchema::JsonSchema(std::unique_ptr<SchemaParts> parts) : m_parts(std::move(parts)) {}
JsonSchema::JsonSchema(JsonSchema&&) noexcept = default;
JsonSchema::~JsonSchema() = default;

Result<JsonSchema> JsonSchema::read(const json& schema) {
  auto parts = std::make_unique<SchemaParts>();
  parts->document = std::make_shared<const json>(schema);
  SVC_CHECK(parts->examine());
  return JsonSchema(std::move(parts));
}

std::optional<SchemaFault> JsonSchema::check(const json& value) const {
  Seen seen;
  return Check(*m_parts).run(*m_parts->document, value, "", seen);
}

}  // namespace svc
