#include "emulator/model/schema_sample.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/json/schema_match.h"
#include "emulator/model/scalar_sample.h"
#include "emulator/model/schema_merge.h"

namespace svc::emulator::text {
namespace {

// How deep values may nest: tried one after the other, so that a schema that refers to itself gives
// a small value instead of a vast one.
constexpr std::array<int, 5> k_depths = {5, 8, 12, 20, 40};
constexpr int k_most_values = 4'000;  // per attempt
constexpr int k_optional_depth = 3;   // deeper, only what is required is made
constexpr std::size_t k_unique_tries = 64;
constexpr std::size_t k_most_properties = 1'000;

class Sampler {
 public:
  Sampler(const Json& root, int deepest) : m_root(root), m_deepest(deepest) {}

  std::optional<Json> sample(const Json& schema, sv hint, int depth, std::size_t variation) {
    if (depth > m_deepest) return std::nullopt;
    Json base = Json::object();
    std::vector<const Json*> choices;
    if (!add_schema(schema, m_root, base, choices)) return std::nullopt;
    const Place place{schema, hint, depth, variation};
    return choose(place, base, std::move(choices), 0);
  }

 private:
  struct Place {
    const Json& schema;
    sv hint;
    int depth;
    std::size_t variation;
  };

  // Decides the `next` choice and those after it, then makes the value. What was made is checked
  // against the whole schema, so that `oneOf` and `not` hold as well.
  std::optional<Json> choose(const Place& place, const Json& base, std::vector<const Json*> choices,
                             std::size_t next) {
    if (++m_made > k_most_values) return std::nullopt;
    if (next == choices.size()) {
      auto value = make(base, place);
      if (value && matches(place.schema, m_root, *value)) return value;
      return std::nullopt;
    }
    for (const Json& option : *choices[next]) {
      Json narrower = base;
      auto more = choices;
      if (!add_schema(option, m_root, narrower, more)) continue;
      if (auto value = choose(place, narrower, std::move(more), next + 1)) return value;
    }
    return std::nullopt;
  }

  std::optional<Json> make(const Json& base, const Place& place) {
    if (const auto constant = base.find("const"); constant != base.end()) return *constant;
    if (const Json* values = member(base, "enum"); values != nullptr && values->is_array()) {
      return first_match(base, *values, place.variation);
    }
    if (place.variation == 0) {
      if (auto given = given_value(base)) return given;
    }
    for (const std::string& type : types_of(base)) {
      if (auto value = make_type(type, base, place)) return value;
    }
    return std::nullopt;
  }

  std::optional<Json> first_match(const Json& base, const Json& values, std::size_t variation) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Json& value = values[(i + variation) % values.size()];
      if (matches(base, m_root, value)) return value;
    }
    return std::nullopt;
  }

  // What the schema itself proposes, when it fits.
  std::optional<Json> given_value(const Json& base) {
    Json proposals = Json::array();
    if (const Json* examples = member(base, "examples"); examples && examples->is_array()) {
      proposals = *examples;
    }
    for (const sv word : {sv("example"), sv("default")}) {
      if (const Json* value = member(base, word)) proposals.push_back(*value);
    }
    return first_match(base, proposals, 0);
  }

  // The types in the order to try: null last, because it says least.
  static std::vector<std::string> types_of(const Json& base) {
    std::vector<std::string> types;
    if (const Json* type = member(base, "type")) {
      const Json list = type->is_array() ? *type : Json::array({*type});
      for (const Json& one : list) {
        if (one.is_string()) types.push_back(one.get<std::string>());
      }
      std::stable_partition(types.begin(), types.end(),
                            [](const std::string& one) { return one != "null"; });
      return types;
    }
    static constexpr std::array<std::pair<sv, sv>, 13> k_signs = {
        {{"properties", "object"},
         {"required", "object"},
         {"additionalProperties", "object"},
         {"minProperties", "object"},
         {"items", "array"},
         {"prefixItems", "array"},
         {"minItems", "array"},
         {"minimum", "number"},
         {"maximum", "number"},
         {"exclusiveMinimum", "number"},
         {"exclusiveMaximum", "number"},
         {"multipleOf", "number"},
         {"pattern", "string"}}};
    for (const auto& [word, type] : k_signs) {
      if (base.contains(std::string(word))) types.emplace_back(type);
    }
    for (const sv type : {"string", "integer", "object", "array", "boolean", "null"}) {
      types.emplace_back(type);
    }
    return types;
  }

  std::optional<Json> make_type(const std::string& type, const Json& base, const Place& place) {
    if (type == "object") return make_object(base, place);
    if (type == "array") return make_array(base, place);
    return sample_scalar(type, base, place.hint, place.variation);
  }

  std::optional<Json> make_object(const Json& base, const Place& place) {
    Json object = Json::object();
    const Json* required = member(base, "required");
    const auto is_required = [&](const std::string& name) {
      return required != nullptr && required->is_array() &&
             std::ranges::find(*required, Json(name)) != required->end();
    };
    if (const Json* properties = member(base, "properties");
        properties && properties->is_object()) {
      for (const auto& [name, schema] : properties->items()) {
        const bool needed = is_required(name);
        if (!needed && place.depth >= k_optional_depth) continue;
        auto value = sample(schema, name, place.depth + 1, place.variation);
        if (!value && needed) return std::nullopt;
        if (value) object[name] = std::move(*value);
      }
    }
    if (required != nullptr && required->is_array()) {
      for (const Json& name : *required) {
        if (name.is_string() && !add_other(object, base, name.get<std::string>(), place)) {
          return std::nullopt;
        }
      }
    }
    return fit_size(std::move(object), base, place, is_required);
  }

  // A member that is wanted but not declared.
  bool add_other(Json& object, const Json& base, const std::string& name, const Place& place) {
    if (object.contains(name)) return true;
    const Json* others = member(base, "additionalProperties");
    auto value =
        sample(others != nullptr ? *others : Json(true), name, place.depth + 1, place.variation);
    if (value) object[name] = std::move(*value);
    return value.has_value();
  }

  template <typename IsRequired>
  std::optional<Json> fit_size(Json object, const Json& base, const Place& place,
                               const IsRequired& is_required) {
    const auto least = static_cast<std::size_t>(
        std::clamp(number_of(base, "minProperties").value_or(0), 0.0, 1e6));
    if (least > k_most_properties) return std::nullopt;
    for (std::size_t i = 1; object.size() < least; ++i) {
      if (!add_other(object, base, fmt::format("property_{}", i), place)) return std::nullopt;
    }
    if (const auto most = number_of(base, "maxProperties")) {
      std::vector<std::string> optional_names;
      for (const auto& [name, value] : object.items()) {
        if (!is_required(name)) optional_names.push_back(name);
      }
      while (static_cast<double>(object.size()) > *most && !optional_names.empty()) {
        object.erase(optional_names.back());
        optional_names.pop_back();
      }
    }
    return object;
  }

  std::optional<Json> make_array(const Json& base, const Place& place) {
    Json array = Json::array();
    const double most = number_of(base, "maxItems").value_or(1e9);
    if (const Json* first = member(base, "prefixItems"); first && first->is_array()) {
      for (const Json& schema : *first) {
        if (static_cast<double>(array.size()) >= most) break;
        auto value = sample(schema, place.hint, place.depth + 1, place.variation);
        if (!value) return std::nullopt;
        array.push_back(std::move(*value));
      }
    }
    const double least = number_of(base, "minItems").value_or(0);
    const bool wants_one = place.depth < k_optional_depth && array.empty();
    const Json* items = member(base, "items");
    const Json schema = items != nullptr ? *items : Json(true);
    while (static_cast<double>(array.size()) <
           std::min(most, std::max(least, wants_one ? 1.0 : 0))) {
      auto value = next_item(array, schema, flag_of(base, "uniqueItems", false), place);
      if (!value) break;
      array.push_back(std::move(*value));
    }
    if (static_cast<double>(array.size()) < least) return std::nullopt;
    return array;
  }

  std::optional<Json> next_item(const Json& array, const Json& schema, bool unique,
                                const Place& place) {
    std::size_t variation = place.variation + array.size();
    for (std::size_t i = 0; i < k_unique_tries; ++i, ++variation) {
      auto value = sample(schema, place.hint, place.depth + 1, variation);
      if (!value || !unique || std::ranges::find(array, *value) == array.end()) return value;
    }
    return std::nullopt;
  }

  const Json& m_root;
  int m_deepest;
  int m_made = 0;
};

}  // namespace

std::optional<Json> sample_schema(const Json& schema, std::size_t variation) {
  for (const int deepest : k_depths) {
    if (auto value = Sampler(schema, deepest).sample(schema, {}, 0, variation)) return value;
  }
  return std::nullopt;
}

}  // namespace svc::emulator::text
