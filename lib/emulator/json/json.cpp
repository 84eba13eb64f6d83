#include "emulator/json/json.h"

#include <limits>

#include <nlohmann/json.hpp>

namespace svc::emulator::text {

Json parse_json(sv text) {
  Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) return nullptr;
  return value;
}

std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const Json* member(const Json& object, sv name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(std::string(name));
  if (found == object.end() || found->is_null()) return nullptr;
  return &*found;
}

std::string get_string(const Json& object, sv name, sv fallback) {
  const Json* value = member(object, name);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string(fallback);
}

bool get_bool(const Json& object, sv name, bool fallback) {
  const Json* value = member(object, name);
  return value != nullptr && value->is_boolean() ? value->get<bool>() : fallback;
}

std::optional<std::int64_t> get_integer(const Json& object, sv name) {
  const Json* value = member(object, name);
  if (value == nullptr || !value->is_number_integer()) return std::nullopt;
  constexpr auto k_max = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (value->is_number_unsigned() && value->get<std::uint64_t>() > k_max) return std::nullopt;
  return value->get<std::int64_t>();
}

std::optional<double> get_number(const Json& object, sv name) {
  const Json* value = member(object, name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->get<double>();
}

Json or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json value_or(const Json& object, sv name, const Json& fallback) {
  const Json* value = member(object, name);
  return value == nullptr ? fallback : *value;
}

Json copy_of(const Json& object, sv name) {
  return value_or(object, name, nullptr);
}

}  // namespace svc::emulator::text

namespace svc::emulator {
Response json_response(const text::Json& body) {
  Response response;
  response.body = text::dump(body);
  return response;
}

}  // namespace svc::emulator
