#include "json/schema.h"

#include <chrono>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/schema_read.h"

namespace svc {
namespace {

using nlohmann::json;

/// Stops a schema that refers to itself infinitely. An answer is at most 512 levels deep.
constexpr int k_max_check_depth = 1200;
constexpr std::size_t k_max_steps = 20'000'000;
constexpr std::chrono::seconds k_max_check{10};

/// The fields and elements of a value that a schema has evaluated, for the `unevaluated` keywords.
struct Evaluated {
  std::set<const json*> parts{};
  bool all = false;

  void join(const Evaluated& other) {
    parts.insert(other.parts.begin(), other.parts.end());
    all = all || other.all;
  }
};

/// Checks one value against one schema, including everything nested in them.
class Check {
 public:
  explicit Check(const SchemaParts& parts) : m_parts(parts) {}

  Mismatch run(const json& value) {
    Evaluated ignored;
    Mismatch found = run(*m_parts.documents.front(), value, "", ignored);
    // `not` may have taken the error that stopped the check for a mismatch, which it expects.
    return m_stopped ? m_stopped : found;
  }

 private:
  /// Adds what the schema evaluates to `evaluated` if the value matches. A schema does not see what
  /// its sibling schemas have evaluated.
  Mismatch run(const json& schema, const json& value, const std::string& where,
               Evaluated& evaluated) {
    if (m_stopped) return m_stopped;
    if (schema.is_boolean()) {
      return schema.get<bool>() ? Mismatch() : mismatch(where, "no value is allowed here (false)");
    }
    if (m_depth >= k_max_check_depth) {
      return stop(where,
                  "the schema refers to itself infinitely, or the value is nested too deeply");
    }
    if (!count_steps(1, where)) return m_stopped;
    const bool enters = m_parts.has_dynamic_references && enter(schema);
    ++m_depth;
    Evaluated own;
    Mismatch found = all_rules(schema, value, where, own);
    --m_depth;
    if (enters) m_scope.pop_back();
    if (!found && m_parts.has_unevaluated) evaluated.join(own);
    return found;
  }

  Mismatch run_inside(const json& schema, const json& value, const std::string& where) {
    Evaluated inside;
    return run(schema, value, where, inside);
  }

  /// Whether the schema belongs to a different resource than the schema that led here.
  bool enter(const json& schema) {
    const SchemaResource* home = m_parts.resource_by_schema.at(&schema);
    if (!m_scope.empty() && m_scope.back() == home) return false;
    m_scope.push_back(home);
    return true;
  }

  Mismatch stop(const std::string& where, std::string why) {
    if (!m_stopped) m_stopped = mismatch(where, std::move(why));
    return m_stopped;
  }

  /// Counts steps to bound the time of a check.
  bool count_steps(std::size_t steps, const std::string& where) {
    m_steps += steps;
    m_steps_since_clock += steps;
    if (m_steps_since_clock >= 1000) {
      m_steps_since_clock = 0;
      if (std::chrono::steady_clock::now() > m_end) m_steps = k_max_steps + 1;
    }
    if (m_steps > k_max_steps) stop(where, "validating against the schema takes too long");
    return !m_stopped;
  }

  Mismatch all_rules(const json& schema, const json& value, const std::string& where,
                     Evaluated& own) {
    if (const json* reference = keyword_of(schema, "$ref");
        reference != nullptr && m_parts.lone_references) {
      return run(target_of(*reference), value, where, own);
    }
    if (const json* values = keyword_of(schema, "enum")) {
      if (!count_steps(values->size(), where)) return m_stopped;
    }
    if (Mismatch found = type_rules(schema, value, where)) return found;
    for (const char* keyword : {"$ref", "$dynamicRef"}) {
      const json* reference = keyword_of(schema, keyword);
      if (reference == nullptr) continue;
      if (Mismatch found = run(target_of(*reference), value, where, own)) return found;
    }
    if (value.is_number()) {
      if (Mismatch found = number_rules(schema, value, where)) return found;
    } else if (value.is_string()) {
      if (Mismatch found = text_rules(schema, value, where)) return found;
    } else if (value.is_object()) {
      if (Mismatch found = object_rules(schema, value, where, own)) return found;
    } else if (value.is_array()) {
      if (Mismatch found = array_rules(schema, value, where, own)) return found;
    }
    if (Mismatch found = joined_rules(schema, value, where, own)) return found;
    if (Mismatch found = if_rules(schema, value, where, own)) return found;
    return unevaluated_rules(schema, value, where, own);
  }

  [[nodiscard]] const json& target_of(const json& reference) const {
    const SchemaTarget& target = m_parts.targets.at(&reference);
    if (target.dynamic_anchor.empty()) return *target.schema;
    for (const SchemaResource* outer : m_scope) {
      if (outer->dynamic_anchors.contains(target.dynamic_anchor)) {
        return *outer->anchors.at(target.dynamic_anchor);
      }
    }
    return *target.schema;
  }

  bool matches(const std::string& pattern, const std::string& text, const std::string& where) {
    if (!count_steps(1 + text.size() / 16, where)) return false;
    const Pattern::Match match = m_parts.patterns.at(pattern).find_in(text);
    if (match == Pattern::Match::TooSlow) {
      stop(where,
           fmt::format("matching the pattern {} takes too long", shown_value(json(pattern))));
    }
    // A search just below the limit may be one of many.
    m_steps_since_clock += 100;
    return match == Pattern::Match::Yes;
  }

  Mismatch text_rules(const json& schema, const json& value, const std::string& where) {
    const std::string& text = value.get_ref<const std::string&>();
    if (Mismatch f = size_rules(schema, count_code_points(text), "character", "characters",
                                "minLength", "maxLength", where)) {
      return f;
    }
    const json* pattern = keyword_of(schema, "pattern");
    if (pattern == nullptr || matches(pattern->get_ref<const std::string&>(), text, where)) {
      return {};
    }
    return mismatch(where, fmt::format("{} does not match {} (pattern)", shown_value(value),
                                       shown_value(*pattern)));
  }

  Mismatch required_rules(const json& schema, const json& value, const std::string& where) {
    const auto lacks = [&](const json& names, const char* keyword) -> Mismatch {
      if (!count_steps(names.size(), where)) return m_stopped;
      for (const json& name : names) {
        if (value.contains(name.get_ref<const std::string&>())) continue;
        return mismatch(where,
                        fmt::format("missing required field {} ({})", shown_value(name), keyword));
      }
      return {};
    };
    if (const json* names = keyword_of(schema, "required")) {
      if (Mismatch found = lacks(*names, "required")) return found;
    }
    for (const char* keyword : {"dependentRequired", "dependencies"}) {
      const json* lists = keyword_of(schema, keyword);
      if (lists == nullptr) continue;
      for (const auto& [name, names] : lists->items()) {
        if (!names.is_array() || !value.contains(name)) continue;
        if (Mismatch found = lacks(names, keyword)) return found;
      }
    }
    return {};
  }

  Mismatch object_rules(const json& schema, const json& value, const std::string& where,
                        Evaluated& own) {
    if (Mismatch f = size_rules(schema, value.size(), "field", "fields", "minProperties",
                                "maxProperties", where)) {
      return f;
    }
    if (Mismatch found = required_rules(schema, value, where)) return found;
    if (Mismatch found = name_rules(schema, value, where)) return found;
    if (Mismatch found = member_rules(schema, value, where, own)) return found;
    for (const char* keyword : {"dependentSchemas", "dependencies"}) {
      const json* dependents = keyword_of(schema, keyword);
      if (dependents == nullptr) continue;
      for (const auto& [name, inside] : dependents->items()) {
        if (inside.is_array() || !value.contains(name)) continue;
        if (Mismatch found = run(inside, value, where, own)) return found;
      }
    }
    return {};
  }

  Mismatch name_rules(const json& schema, const json& value, const std::string& where) {
    const json* names = keyword_of(schema, "propertyNames");
    if (names == nullptr) return {};
    for (const auto& [name, member] : value.items()) {
      const std::string place = pointer_to(where, name);
      if (Mismatch f = run_inside(*names, json(name), place)) {
        return mismatch(place, fmt::format("invalid field name: {} (propertyNames)", f->why));
      }
    }
    return {};
  }

  Mismatch member_rules(const json& schema, const json& value, const std::string& where,
                        Evaluated& own) {
    const json* properties = keyword_of(schema, "properties");
    const json* patterns = keyword_of(schema, "patternProperties");
    const json* others = keyword_of(schema, "additionalProperties");
    if (properties == nullptr && patterns == nullptr && others == nullptr) return {};
    for (const auto& [name, member] : value.items()) {
      const std::string place = pointer_to(where, name);
      bool known = false;
      if (const json* inside = properties ? keyword_of(*properties, name) : nullptr) {
        known = true;
        if (Mismatch found = run_inside(*inside, member, place)) return found;
      }
      if (patterns != nullptr) {
        for (const auto& [pattern, inside] : patterns->items()) {
          if (!matches(pattern, name, place)) continue;
          known = true;
          if (Mismatch found = run_inside(inside, member, place)) return found;
        }
      }
      if (!known && others != nullptr) {
        known = true;
        if (others->is_boolean() && !others->get<bool>()) {
          return mismatch(place, "this field is not allowed (additionalProperties)");
        }
        if (Mismatch found = run_inside(*others, member, place)) return found;
      }
      if (known && m_parts.has_unevaluated) own.parts.insert(&member);
    }
    return {};
  }

  Mismatch array_rules(const json& schema, const json& value, const std::string& where,
                       Evaluated& own) {
    if (Mismatch f =
            size_rules(schema, value.size(), "item", "items", "minItems", "maxItems", where)) {
      return f;
    }
    if (Mismatch found = unique_rules(schema, value, where)) return found;
    const json* prefix = keyword_of(schema, "prefixItems");
    const json* rest = keyword_of(schema, "items");
    if (rest != nullptr && rest->is_array()) {
      prefix = rest;
      rest = keyword_of(schema, "additionalItems");
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      const bool early = prefix != nullptr && i < prefix->size();
      const json* inside = early ? &(*prefix)[i] : rest;
      if (inside == nullptr) break;
      if (Mismatch found = run_inside(*inside, value[i], pointer_to(where, std::to_string(i)))) {
        return found;
      }
      if (m_parts.has_unevaluated) own.parts.insert(&value[i]);
    }
    own.all = own.all || rest != nullptr;
    return contains_rules(schema, value, where, own);
  }

  Mismatch unique_rules(const json& schema, const json& value, const std::string& where) {
    const json* unique = keyword_of(schema, "uniqueItems");
    if (unique == nullptr || !unique->get<bool>()) return {};
    const auto less = [](const json* a, const json* b) { return *a < *b; };
    std::set<const json*, decltype(less)> seen(less);
    for (const json& one : value) {
      if (!count_steps(20, where)) return m_stopped;
      if (!seen.insert(&one).second) return mismatch(where, "duplicate items (uniqueItems)");
    }
    return {};
  }

  Mismatch contains_rules(const json& schema, const json& value, const std::string& where,
                          Evaluated& own) {
    const json* inside = keyword_of(schema, "contains");
    if (inside == nullptr) return {};
    std::size_t count = 0;
    for (const json& one : value) {
      if (run_inside(*inside, one, where)) continue;
      ++count;
      if (m_parts.has_unevaluated) own.parts.insert(&one);
    }
    const json* least = keyword_of(schema, "minContains");
    if (least == nullptr && count == 0) return mismatch(where, "no matching item (contains)");
    return size_rules(schema, count, "matching item", "matching items", "minContains",
                      "maxContains", where);
  }

  Mismatch joined_rules(const json& schema, const json& value, const std::string& where,
                        Evaluated& own) {
    if (const json* all = keyword_of(schema, "allOf")) {
      for (const json& one : *all) {
        if (Mismatch found = run(one, value, where, own)) return found;
      }
    }
    for (const char* keyword : {"anyOf", "oneOf"}) {
      const json* several = keyword_of(schema, keyword);
      if (several == nullptr) continue;
      if (Mismatch found = alternatives(*several, keyword, value, where, own)) return found;
    }
    if (const json* denied = keyword_of(schema, "not")) {
      if (!run_inside(*denied, value, where)) {
        return mismatch(where, "must not match this schema (not)");
      }
    }
    return {};
  }

  Mismatch alternatives(const json& several, sv keyword, const json& value,
                        const std::string& where, Evaluated& own) {
    std::size_t fitting = 0;
    Mismatch best_mismatch;  // the alternative that matches furthest is likely the intended one
    for (const json& one : several) {
      const Mismatch found = run(one, value, where, own);
      if (!found) {
        ++fitting;
      } else if (!best_mismatch || found->where.size() > best_mismatch->where.size()) {
        best_mismatch = found;
      }
    }
    if (fitting == 0) {
      if (several.size() == 1 || best_mismatch->where.size() > where.size()) return best_mismatch;
      return mismatch(where, fmt::format("matches none of {} schemas ({}); first mismatch: {}",
                                         several.size(), keyword, best_mismatch->why));
    }
    if (keyword == "oneOf" && fitting > 1) {
      return mismatch(where,
                      fmt::format("matches {} schemas, expected exactly one (oneOf)", fitting));
    }
    return {};
  }

  Mismatch if_rules(const json& schema, const json& value, const std::string& where,
                    Evaluated& own) {
    const json* condition = keyword_of(schema, "if");
    if (condition == nullptr) return {};
    const bool fits = !run(*condition, value, where, own);
    const json* then = keyword_of(schema, fits ? "then" : "else");
    return then == nullptr ? Mismatch() : run(*then, value, where, own);
  }

  /// Runs last, because it needs to know what all other keywords of this schema have evaluated.
  Mismatch unevaluated_rules(const json& schema, const json& value, const std::string& where,
                             Evaluated& own) {
    const char* keyword = value.is_object() ? "unevaluatedProperties" : "unevaluatedItems";
    const json* rest = value.is_structured() ? keyword_of(schema, keyword) : nullptr;
    if (rest == nullptr || own.all) return {};
    for (const auto& [name, one] : value.items()) {
      if (own.parts.contains(&one)) continue;
      const std::string place = pointer_to(where, name);
      if (rest->is_boolean() && !rest->get<bool>()) {
        return mismatch(place, fmt::format("this {} is not allowed ({})",
                                           value.is_object() ? "field" : "item", keyword));
      }
      if (Mismatch found = run_inside(*rest, one, place)) return found;
    }
    own.all = true;
    return {};
  }

  const SchemaParts& m_parts;
  std::vector<const SchemaResource*> m_scope{};  ///< the resources that led here, the outermost
                                                 ///< first
  Mismatch m_stopped{};
  std::size_t m_steps = 0;
  std::size_t m_steps_since_clock = 0;
  std::chrono::steady_clock::time_point m_end = std::chrono::steady_clock::now() + k_max_check;
  int m_depth = 0;
};

}  // namespace

JsonSchema::JsonSchema(std::unique_ptr<SchemaParts> parts) : m_parts(std::move(parts)) {}
JsonSchema::JsonSchema(JsonSchema&&) noexcept = default;
JsonSchema::~JsonSchema() = default;

Result<JsonSchema> JsonSchema::read(const json& schema) {
  auto parts = std::make_unique<SchemaParts>();
  parts->documents.push_back(std::make_shared<const json>(schema));
  SVC_CHECK(compile_schema(*parts));
  return JsonSchema(std::move(parts));
}

std::optional<SchemaError> JsonSchema::check(const json& value) const {
  return Check(*m_parts).run(value);
}

}  // namespace svc
