#include "emulator/json/schema_match.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace svc::emulator::text {
namespace {

constexpr int k_deepest_match = 200;   // references that lead in a circle end here
constexpr int k_most_steps = 100'000;  // and those that branch on the way, here

bool is_whole(const Json& value) {
  if (value.is_number_integer()) return true;
  return value.is_number_float() && std::floor(value.get<double>()) == value.get<double>();
}

bool is_of_type(const Json& value, const std::string& type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is_boolean();
  if (type == "string") return value.is_string();
  if (type == "integer") return is_whole(value);
  if (type == "number") return value.is_number();
  if (type == "array") return value.is_array();
  return type == "object" && value.is_object();
}

bool type_fits(const Json& schema, const Json& value) {
  const Json* type = member(schema, "type");
  if (type == nullptr) return true;
  if (type->is_string()) return is_of_type(value, type->get<std::string>());
  if (!type->is_array()) return true;
  return std::ranges::any_of(*type, [&](const Json& one) {
    return one.is_string() && is_of_type(value, one.get<std::string>());
  });
}

// Objects are equal whatever the order of their members; ordered JSON says otherwise.
std::string canonical(const Json& value) {
  if (!value.is_structured()) return dump(value);
  const auto sorted = nlohmann::json::parse(dump(value), nullptr, false);
  return sorted.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool same(const Json& a, const Json& b) {
  if (!a.is_structured() || !b.is_structured()) return a == b;
  return canonical(a) == canonical(b);
}

bool limits_fit(const Json& schema, sv least, sv most, std::size_t size) {
  const auto low = number_of(schema, least);
  const auto high = number_of(schema, most);
  const auto count = static_cast<double>(size);
  return (!low || count >= *low) && (!high || count <= *high);
}

bool number_fits(const Json& schema, const Json& value) {
  if (!value.is_number()) return true;
  const double number = value.get<double>();
  if (const auto low = number_of(schema, "minimum"); low && number < *low) return false;
  if (const auto high = number_of(schema, "maximum"); high && number > *high) return false;
  if (const auto low = number_of(schema, "exclusiveMinimum"); low && number <= *low) return false;
  if (const auto high = number_of(schema, "exclusiveMaximum"); high && number >= *high)
    return false;
  const auto step = number_of(schema, "multipleOf");
  if (!step || *step <= 0) return true;
  const double times = number / *step;
  return std::abs(times - std::round(times)) < 1e-9 * std::max(1.0, std::abs(times));
}

class Matcher {
 public:
  explicit Matcher(const Json& root) : m_root(root) {}

  bool fits(const Json& schema, const Json& value, int depth) {
    if (schema.is_boolean()) return schema.get<bool>();
    if (!schema.is_object() || depth > k_deepest_match || ++m_steps > k_most_steps) return false;
    return reference_fits(schema, value, depth) && type_fits(schema, value) &&
           values_fit(schema, value) && number_fits(schema, value) && text_fits(schema, value) &&
           array_fits(schema, value, depth) && object_fits(schema, value, depth) &&
           combined_fits(schema, value, depth);
  }

 private:
  bool reference_fits(const Json& schema, const Json& value, int depth) {
    const Json* reference = member(schema, "$ref");
    if (reference == nullptr) return true;
    const Json* target =
        reference->is_string() ? resolve_reference(m_root, reference->get<std::string>()) : nullptr;
    return target != nullptr && fits(*target, value, depth + 1);
  }

  static bool values_fit(const Json& schema, const Json& value) {
    if (const auto constant = schema.find("const");
        constant != schema.end() && !same(*constant, value)) {
      return false;
    }
    const Json* values = member(schema, "enum");
    return values == nullptr || !values->is_array() ||
           std::ranges::any_of(*values, [&](const Json& one) { return same(one, value); });
  }

  static bool text_fits(const Json& schema, const Json& value) {
    return !value.is_string() || limits_fit(schema, "minLength", "maxLength",
                                            count_code_points(value.get_ref<const std::string&>()));
  }

  bool array_fits(const Json& schema, const Json& value, int depth) {
    if (!value.is_array()) return true;
    if (!limits_fit(schema, "minItems", "maxItems", value.size())) return false;
    const Json* first = member(schema, "prefixItems");
    const Json* rest = member(schema, "items");
    for (std::size_t i = 0; i < value.size(); ++i) {
      const bool is_first = first != nullptr && first->is_array() && i < first->size();
      const Json* wanted = is_first ? &(*first)[i] : rest;
      if (wanted != nullptr && !fits(*wanted, value[i], depth + 1)) return false;
    }
    return !flag_of(schema, "uniqueItems", false) || all_different(value);
  }

  static bool all_different(const Json& values) {
    std::set<std::string> seen;
    return std::ranges::all_of(
        values, [&](const Json& value) { return seen.insert(canonical(value)).second; });
  }

  bool object_fits(const Json& schema, const Json& value, int depth) {
    if (!value.is_object()) return true;
    if (!limits_fit(schema, "minProperties", "maxProperties", value.size())) return false;
    if (const Json* required = member(schema, "required"); required && required->is_array()) {
      for (const Json& name : *required) {
        if (name.is_string() && !value.contains(name.get<std::string>())) return false;
      }
    }
    const Json* properties = member(schema, "properties");
    const Json* others = member(schema, "additionalProperties");
    for (const auto& [name, one] : value.items()) {
      const auto declared = properties == nullptr ? nullptr : property(*properties, name);
      const Json* wanted = declared != nullptr ? declared : others;
      if (wanted != nullptr && !fits(*wanted, one, depth + 1)) return false;
    }
    return true;
  }

  static const Json* property(const Json& properties, const std::string& name) {
    const auto found = properties.find(name);
    return found == properties.end() ? nullptr : &*found;
  }

  bool combined_fits(const Json& schema, const Json& value, int depth) {
    const auto count = [&](sv word) {
      const Json* options = member(schema, word);
      return std::ranges::count_if(
          *options, [&](const Json& option) { return fits(option, value, depth + 1); });
    };
    const auto given = [&](sv word) {
      const Json* options = member(schema, word);
      return options != nullptr && options->is_array() && !options->empty();
    };
    if (given("allOf") &&
        static_cast<std::size_t>(count("allOf")) != member(schema, "allOf")->size())
      return false;
    if (given("anyOf") && count("anyOf") == 0) return false;
    if (given("oneOf") && count("oneOf") != 1) return false;
    const Json* forbidden = member(schema, "not");
    return forbidden == nullptr || !fits(*forbidden, value, depth + 1);
  }

  const Json& m_root;
  int m_steps = 0;
};

}  // namespace

const Json* resolve_reference(const Json& root, sv reference) {
  if (!reference.starts_with('#')) return nullptr;
  const Json* at = &root;
  sv rest = reference.substr(1);
  if (rest.empty()) return at;
  if (!rest.starts_with('/')) return nullptr;
  for (const sv token : split(rest.substr(1), '/')) {
    const std::string name = replace_all(replace_all(std::string(token), "~1", "/"), "~0", "~");
    if (at->is_object() && at->contains(name)) {
      at = &at->at(name);
    } else if (const auto index = parse_integer(name);
               at->is_array() && index && *index >= 0 &&
               static_cast<std::size_t>(*index) < at->size()) {
      at = &at->at(static_cast<std::size_t>(*index));
    } else {
      return nullptr;
    }
  }
  return at;
}

bool matches(const Json& schema, const Json& root, const Json& value) {
  return Matcher(root).fits(schema, value, 0);
}

}  // namespace svc::emulator::text
