#include "json/schema_values.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/document.h"

namespace svc {

using nlohmann::json;

namespace {

bool is_whole(const json& value) {
  if (value.is_number_integer()) return true;
  return value.is_number_float() && std::floor(value.get<double>()) == value.get<double>();
}

bool has_type(const json& value, const std::string& type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is_boolean();
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "number") return value.is_number();
  return type == "integer" && is_whole(value);
}

std::string type_of(const json& value) {
  if (value.is_number()) return is_whole(value) ? "an integer" : "a number";
  const std::string name = value.type_name();
  return name == "null"
             ? name
             : fmt::format("{} {}", name == "array" || name == "object" ? "an" : "a", name);
}

bool is_multiple(const json& value, const json& of) {
  if (value.is_number_integer() && of.is_number_integer()) {
    return value.get<std::int64_t>() % of.get<std::int64_t>() == 0;
  }
  const double times = value.get<double>() / of.get<double>();
  // 0.3 is thrice 0.1 to everybody but a computer.
  return std::isfinite(times) &&
         std::abs(times - std::round(times)) <= 1e-9 * std::max(1.0, std::abs(times));
}

}  // namespace

Misfit misfit(const std::string& where, std::string why) {
  return SchemaFault{where, std::move(why)};
}

const json* keyword_of(const json& schema, const char* name) {
  const auto found = schema.find(name);
  return found == schema.end() ? nullptr : &*found;
}

std::string shown_value(const json& value) {
  return visible(excerpt(compact_json(value), 60), Lines::Escape);
}

Misfit type_rules(const json& schema, const json& value, const std::string& where) {
  if (const json* types = keyword_of(schema, "type")) {
    bool right = false;
    std::string names;
    for (const json& type : types->is_array() ? *types : json::array({*types})) {
      right = right || has_type(value, type.get<std::string>());
      names += (names.empty() ? "" : " or ") + type.get<std::string>();
    }
    if (!right) return misfit(where, fmt::format("it is {}, not {} (type)", type_of(value), names));
  }
  if (const json* values = keyword_of(schema, "enum")) {
    if (std::find(values->begin(), values->end(), value) == values->end()) {
      return misfit(where, fmt::format("{} is not one of {} (enum)", shown_value(value),
                                       shown_value(*values)));
    }
  }
  const json* constant = keyword_of(schema, "const");
  if (constant != nullptr && *constant != value) {
    return misfit(where,
                  fmt::format("{} is not {} (const)", shown_value(value), shown_value(*constant)));
  }
  return {};
}

Misfit number_rules(const json& schema, const json& value, const std::string& where) {
  const auto breaks = [&](const char* name, const char* says, auto wrong) -> Misfit {
    const json* bound = keyword_of(schema, name);
    if (bound == nullptr || !wrong(*bound)) return {};
    return misfit(where, fmt::format("{} is {} {} ({})", shown_value(value), says,
                                     shown_value(*bound), name));
  };
  if (Misfit f = breaks("minimum", "less than", [&](const json& b) { return value < b; })) return f;
  if (Misfit f = breaks("maximum", "more than", [&](const json& b) { return value > b; })) return f;
  if (Misfit f =
          breaks("exclusiveMinimum", "not more than", [&](const json& b) { return value <= b; })) {
    return f;
  }
  if (Misfit f =
          breaks("exclusiveMaximum", "not less than", [&](const json& b) { return value >= b; })) {
    return f;
  }
  return breaks("multipleOf", "no multiple of",
                [&](const json& b) { return !is_multiple(value, b); });
}

Misfit size_rules(const json& schema, std::size_t size, const char* what, const char* least,
                  const char* most, const std::string& where) {
  const json* low = keyword_of(schema, least);
  const json* high = keyword_of(schema, most);
  if (low != nullptr && static_cast<double>(size) < low->get<double>()) {
    return misfit(where, fmt::format("it has {} {}, at least {} are wanted ({})", size, what,
                                     shown_value(*low), least));
  }
  if (high != nullptr && static_cast<double>(size) > high->get<double>()) {
    return misfit(where, fmt::format("it has {} {}, at most {} are allowed ({})", size, what,
                                     shown_value(*high), most));
  }
  return {};
}

}  // namespace svc
