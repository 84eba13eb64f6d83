#include "json/schema_parts.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/document.h"

namespace svc {

using nlohmann::json;

namespace {

bool is_integral(const json& value) {
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
  return type == "integer" && is_integral(value);
}

std::string type_of(const json& value) {
  if (value.is_number()) return is_integral(value) ? "an integer" : "a number";
  if (value.is_null()) return "null";
  const std::string name = value.type_name();
  return fmt::format("{} {}", value.is_structured() ? "an" : "a", name);
}

std::uint64_t magnitude(const json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  const auto number = value.get<std::int64_t>();
  return number < 0 ? -static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
}

bool is_multiple(const json& value, const json& of) {
  if (value.is_number_integer() && of.is_number_integer()) {
    return magnitude(value) % magnitude(of) == 0;
  }
  const double times = value.get<double>() / of.get<double>();
  // In binary, 0.3 is not exactly 3 * 0.1, so allow a tolerance.
  if (!std::isfinite(times)) return std::fmod(value.get<double>(), of.get<double>()) == 0;
  return std::abs(times - std::round(times)) <= 1e-9 * std::max(1.0, std::abs(times));
}

constexpr std::size_t k_max_shown = 60;

/// Writes the start of `value` as text, so that a large value is not written in full only to be
/// truncated.
void append_excerpt(const json& value, std::string& out) {
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    out += compact_json(json(text.substr(0, 4 * k_max_shown)));
  } else if (!value.is_structured()) {
    out += compact_json(value);
  } else {
    out += value.is_object() ? '{' : '[';
    bool first = true;
    for (const auto& [name, one] : value.items()) {
      if (out.size() > k_max_shown) break;
      if (!first) out += ',';
      first = false;
      if (value.is_object()) {
        append_excerpt(json(name), out);
        out += ':';
      }
      append_excerpt(one, out);
    }
    out += value.is_object() ? '}' : ']';
  }
}

}  // namespace

Mismatch mismatch(const std::string& where, std::string why) {
  return SchemaError{where, std::move(why)};
}

const json* keyword_of(const json& schema, sv name) {
  const auto found = schema.find(name);
  return found == schema.end() ? nullptr : &*found;
}

std::string shown_value(const json& value) {
  std::string text;
  append_excerpt(value, text);
  return shown(text, k_max_shown);
}

Mismatch type_rules(const json& schema, const json& value, const std::string& where) {
  if (const json* types = keyword_of(schema, "type")) {
    bool matches = false;
    std::string names;
    const auto allow = [&](const json& type) {
      matches = matches || has_type(value, type.get_ref<const std::string&>());
      if (!matches) names += (names.empty() ? "" : " or ") + type.get<std::string>();
    };
    if (types->is_array()) {
      for (const json& type : *types) allow(type);
    } else {
      allow(*types);
    }
    if (!matches)
      return mismatch(where, fmt::format("expected {}, got {} (type)", names, type_of(value)));
  }
  if (const json* values = keyword_of(schema, "enum")) {
    if (std::find(values->begin(), values->end(), value) == values->end()) {
      return mismatch(where, fmt::format("{} is not one of {} (enum)", shown_value(value),
                                         shown_value(*values)));
    }
  }
  const json* constant = keyword_of(schema, "const");
  if (constant != nullptr && *constant != value) {
    return mismatch(
        where, fmt::format("{} is not {} (const)", shown_value(value), shown_value(*constant)));
  }
  return {};
}

Mismatch number_rules(const json& schema, const json& value, const std::string& where) {
  const auto check_bound = [&](const char* name, const char* says, auto wrong) -> Mismatch {
    const json* bound = keyword_of(schema, name);
    if (bound == nullptr || !wrong(*bound)) return {};
    return mismatch(where, fmt::format("{} is {} {} ({})", shown_value(value), says,
                                       shown_value(*bound), name));
  };
  const auto below = [&](const json& b) { return value < b; };
  const auto above = [&](const json& b) { return value > b; };
  const auto not_above = [&](const json& b) { return value <= b; };
  const auto not_below = [&](const json& b) { return value >= b; };
  if (Mismatch f = check_bound("minimum", "less than", below)) return f;
  if (Mismatch f = check_bound("maximum", "greater than", above)) return f;
  if (Mismatch f = check_bound("exclusiveMinimum", "not greater than", not_above)) return f;
  if (Mismatch f = check_bound("exclusiveMaximum", "not less than", not_below)) return f;
  return check_bound("multipleOf", "not a multiple of",
                     [&](const json& b) { return !is_multiple(value, b); });
}

Mismatch size_rules(const json& schema, std::size_t size, sv one, sv many, const char* least,
                    const char* most, const std::string& where) {
  const json* low = keyword_of(schema, least);
  const json* high = keyword_of(schema, most);
  const auto says = [&](sv bound, const json& wanted, const char* name) {
    return mismatch(where, fmt::format("expected {} {} {}, got {} ({})", bound, shown_value(wanted),
                                       wanted == json(1) ? one : many, size, name));
  };
  if (low != nullptr && static_cast<double>(size) < low->get<double>()) {
    return says("at least", *low, least);
  }
  if (high != nullptr && static_cast<double>(size) > high->get<double>()) {
    return says("at most", *high, most);
  }
  return {};
}

}  // namespace svc
