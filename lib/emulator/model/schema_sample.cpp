#include <nlohmann/json.hpp>

#include "emulator/model/answer.h"
#include "json/schema.h"

namespace svc::emulator::text {
namespace {

// Maximum nesting depths, tried in order, so that a recursive schema gives a small value.
constexpr std::array<int, 4> k_depths = {5, 10, 20, 40};
constexpr int k_max_values = 4'000;  // per attempt
constexpr int k_optional_depth = 3;  // below this depth, only required fields are generated
constexpr std::size_t k_max_samples = 1'000;
constexpr std::size_t k_max_text_length = 100'000;
constexpr std::size_t k_turns = 8;
constexpr std::size_t k_attempts = 4 * k_turns;

// Returns the target of `#/$defs/name`; null if it does not exist.
const Json* resolve(const Json& root, const std::string& reference) {
  if (!reference.starts_with('#')) return nullptr;
  const auto pointer = reference.substr(1);
  if (!pointer.empty() && !pointer.starts_with('/')) return nullptr;
  try {
    return &root.at(Json::json_pointer(pointer));
  } catch (const Json::exception&) {
    return nullptr;
  }
}

// Adds the keywords of `more`. Of two limits, the tighter one is used where that is clear.
void merge(Json& base, const Json& more) {
  for (const auto& [word, value] : more.items()) {
    if (word == "$ref" || word == "allOf") continue;
    Json& old = base[word];
    if (word == "properties" && old.is_object() && value.is_object()) {
      for (const auto& [name, schema] : value.items()) {
        if (!old.contains(name) || old[name] == true || schema == false) {
          old[name] = schema;
        } else if (old[name].is_object() && schema.is_object()) {
          merge(old[name], schema);
        }
      }
    } else if (word == "required" && old.is_array() && value.is_array()) {
      old.insert(old.end(), value.begin(), value.end());
    } else if (old.is_number() && value.is_number()) {
      old = word.starts_with("max") || word == "exclusiveMaximum" ? std::min(old, value)
                                                                  : std::max(old, value);
    } else if (old.is_null() || word != "type" || value != "number") {
      old = value;  // an integer is a number
    }
  }
}

// Returns a string in one of the schema formats; "" for an unknown format.
std::string format_text(const std::string& format, std::size_t n) {
  if (format == "date") return fmt::format("2026-01-{:02}", 1 + n % 28);
  if (format == "time") return fmt::format("12:00:{:02}Z", n % 60);
  if (format == "date-time") return fmt::format("2026-01-{:02}T12:00:00Z", 1 + n % 28);
  if (format == "duration") return fmt::format("PT{}M", 1 + n);
  if (format == "email") return fmt::format("user{}@example.com", 1 + n);
  if (format == "hostname") return fmt::format("host{}.example.com", 1 + n);
  if (format == "ipv4") return fmt::format("192.0.2.{}", 1 + n % 254);
  if (format == "ipv6") return fmt::format("2001:db8::{:x}", 1 + n % 0xffff);
  if (format == "uri" || format == "url") return fmt::format("https://example.com/{}", 1 + n);
  if (format == "uuid") return fmt::format("00000000-0000-4000-8000-{:012x}", 1 + n);
  return {};
}

std::optional<Json> make_text(const Json& schema, sv hint, std::size_t variation) {
  const double minimum = get_number(schema, "minLength").value_or(0);
  const double maximum = get_number(schema, "maxLength").value_or(k_max_text_length);
  if (minimum > maximum || minimum > k_max_text_length) return std::nullopt;
  std::string text = format_text(get_string(schema, "format"), variation);
  if (!text.empty()) return Json(text);
  text = fmt::format("emulated {}", hint.empty() ? "text" : hint);
  if (variation > 0) text += fmt::format(" {}", variation + 1);
  if (static_cast<double>(count_code_points(text)) > maximum) {
    // Too short for a name: use letters, so that variations still differ.
    text = std::string(static_cast<std::size_t>(maximum), static_cast<char>('a' + variation % 26));
  }
  const std::size_t length = count_code_points(text);
  if (static_cast<double>(length) < minimum) {
    text.append(static_cast<std::size_t>(minimum) - length, '.');
  }
  return Json(text);
}

// Returns 1, 2, 3 … if the limits allow, otherwise numbers from the nearest limit on.
std::optional<Json> make_number(const Json& schema, bool whole, std::size_t variation) {
  constexpr double k_max_value = 9'007'199'254'740'991;  // beyond this, doubles skip integers
  const auto above = get_number(schema, "exclusiveMinimum");
  const auto below = get_number(schema, "exclusiveMaximum");
  const double low =
      std::max(get_number(schema, "minimum").value_or(-k_max_value), above.value_or(-k_max_value));
  const double high =
      std::min(get_number(schema, "maximum").value_or(k_max_value), below.value_or(k_max_value));
  const double step = std::max(1e-9, get_number(schema, "multipleOf").value_or(1));
  // The numbers k for which k * step is within the limits.
  double first = std::ceil(low / step - 1e-9);
  double last = std::floor(high / step + 1e-9);
  if (above && first * step <= *above) ++first;
  if (below && last * step >= *below) --last;
  if (first <= last) {
    const double start = std::clamp(1.0, first, last);
    const auto offset = static_cast<double>(variation);
    const double k = start + offset <= last ? start + offset : std::max(first, start - offset);
    const double value = k * step;
    if (whole || (value == std::floor(value) && step == 1)) {
      return Json(static_cast<std::int64_t>(std::llround(value)));
    }
    return Json(value);
  }
  if (whole || low > high) return std::nullopt;
  return Json(low + (high - low) / (2.0 + static_cast<double>(variation)));
}

class Sampler {
 public:
  /// `turn`: which of several options to try first.
  Sampler(const Json& root, int deepest, std::size_t turn)
      : m_root(root), m_deepest(deepest), m_turn(turn) {}

  std::optional<Json> sample(const Json& schema, sv hint, int depth, std::size_t variation) {
    if (depth > m_deepest || ++m_made > k_max_values) return std::nullopt;
    Json base = Json::object();
    if (!collect(schema, base, 0)) return std::nullopt;
    for (const char* word : {"oneOf", "anyOf"}) {
      const Json options = base.value(word, Json());
      if (!options.is_array() || options.empty()) continue;
      base.erase(word);
      for (std::size_t i = 0; i < options.size(); ++i) {
        Json chosen = base;
        if (!collect(options[(i + m_turn) % options.size()], chosen, 0)) continue;
        if (auto value = sample(chosen, hint, depth + 1, variation)) return value;
      }
      return std::nullopt;
    }
    return make(base, hint, depth, variation);
  }

 private:
  // Collects the schema and everything it refers to; returns false if nothing can satisfy it.
  bool collect(const Json& schema, Json& base, int depth) {
    if (schema.is_boolean()) return schema.get<bool>();
    if (!schema.is_object() || depth > 64 || ++m_made > k_max_values) return false;
    if (member(schema, "$ref") != nullptr) {
      const Json* target = resolve(m_root, get_string(schema, "$ref"));
      if (target == nullptr || !collect(*target, base, depth + 1)) return false;
    }
    if (const Json* all = member(schema, "allOf"); all != nullptr && all->is_array()) {
      for (const Json& one : *all) {
        if (!collect(one, base, depth + 1)) return false;
      }
    }
    merge(base, schema);
    return true;
  }

  // Explicit conversions, because nlohmann-json 3.12 also converts to std::optional implicitly.
  std::optional<Json> make(const Json& base, sv hint, int depth, std::size_t variation) {
    if (const auto constant = base.find("const"); constant != base.end())
      return std::optional(*constant);
    if (const Json* values = member(base, "enum");
        values && values->is_array() && !values->empty()) {
      return std::optional((*values)[variation % values->size()]);
    }
    if (const Json* values = member(base, "examples");
        values && values->is_array() && variation < values->size()) {
      return std::optional((*values)[variation]);
    }
    if (const Json* given = member(base, "default"); given && variation == 0)
      return std::optional(*given);
    const std::string type = type_of(base);
    if (type == "object") return make_object(base, depth, variation);
    if (type == "array") return make_array(base, hint, depth, variation);
    if (type == "string") return make_text(base, hint, variation);
    if (type == "boolean") return Json(variation % 2 == 0);
    if (type == "null") return Json(nullptr);
    if (type == "integer" || type == "number") {
      return make_number(base, type == "integer", variation);
    }
    return std::nullopt;
  }

  // Returns the first type except null, or else the one implied by the other keywords.
  static std::string type_of(const Json& base) {
    if (const Json* type = member(base, "type")) {
      if (type->is_string()) return type->get<std::string>();
      for (const Json& one : *type) {
        if (one.is_string() && one != "null") return one.get<std::string>();
      }
      return "null";
    }
    constexpr std::array<std::pair<const char*, const char*>, 9> k_signs = {
        {{"properties", "object"},
         {"required", "object"},
         {"additionalProperties", "object"},
         {"items", "array"},
         {"prefixItems", "array"},
         {"minItems", "array"},
         {"minimum", "number"},
         {"maximum", "number"},
         {"multipleOf", "number"}}};
    for (const auto& [word, type] : k_signs) {
      if (base.contains(word)) return type;
    }
    return "string";
  }

  std::optional<Json> make_object(const Json& base, int depth, std::size_t variation) {
    Json object = Json::object();
    const Json required = base.value("required", Json::array());
    const Json properties = base.value("properties", Json::object());
    for (const auto& [name, schema] : properties.items()) {
      const bool needed = has_element(required, Json(name));
      if (!needed && depth >= k_optional_depth) continue;
      auto value = sample(schema, name, depth + 1, variation);
      if (!value && needed) return std::nullopt;
      if (value) object[name] = std::move(*value);
    }
    const Json others = base.value("additionalProperties", Json(true));
    for (const Json& name : required) {
      if (!name.is_string() || object.contains(name.get<std::string>())) continue;
      auto value = sample(others, name.get<std::string>(), depth + 1, variation);
      if (!value) return std::nullopt;
      object[name.get<std::string>()] = std::move(*value);
    }
    return object;
  }

  std::optional<Json> make_array(const Json& base, sv hint, int depth, std::size_t variation) {
    Json array = Json::array();
    const Json first = base.value("prefixItems", Json::array());
    const Json rest = base.value("items", Json(true));
    const double minimum =
        std::max(static_cast<double>(first.size()), get_number(base, "minItems").value_or(0));
    const double wanted = std::max(minimum, depth < k_optional_depth ? 1.0 : 0.0);
    const double maximum = std::min(wanted, get_number(base, "maxItems").value_or(wanted));
    if (maximum > k_max_samples) return std::nullopt;
    while (static_cast<double>(array.size()) < maximum) {
      const Json& schema = array.size() < first.size() ? first[array.size()] : rest;
      auto value = sample(schema, hint, depth + 1, variation + array.size());
      if (!value) break;
      array.push_back(std::move(*value));
    }
    if (static_cast<double>(array.size()) < get_number(base, "minItems").value_or(0))
      return std::nullopt;
    return array;
  }

  const Json& m_root;
  int m_deepest;
  std::size_t m_turn;
  int m_made = 0;
};

bool fits(const std::optional<JsonSchema>& checker, const Json& value) {
  return !checker || !checker->check(nlohmann::json::parse(dump(value), nullptr, false));
}

}  // namespace

std::optional<Json> sample_schema(const Json& schema, std::size_t variation) {
  auto read = JsonSchema::read(nlohmann::json::parse(dump(schema), nullptr, false));
  std::optional<JsonSchema> checker;
  if (read) checker.emplace(*std::move(read));
  std::optional<Json> any;
  for (const int deepest : k_depths) {
    for (std::size_t i = 0; i < k_attempts; ++i) {
      Sampler sampler(schema, deepest, i % k_turns);
      auto value = sampler.sample(schema, {}, 0, variation + i / k_turns);
      if (!value) break;
      if (fits(checker, *value)) return value;
      if (!any) any = std::move(value);
    }
    if (any) return any;  // deeper values do not match any better
  }
  return std::nullopt;
}

}  // namespace svc::emulator::text
