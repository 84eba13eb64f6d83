#include "svc/impl/rows.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace svc::v0 {

const nlohmann::json& value_at(const nlohmann::json& document, sv path) {
  const nlohmann::json* at = &document;
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    at = &svc::member(*at, std::string(path.substr(0, dot)).c_str());
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return *at;
}

std::span<const nlohmann::json> items_at(const nlohmann::json& document, sv path) {
  path.remove_suffix(sv("[]").size());
  const nlohmann::json& found = value_at(document, path);
  if (!found.is_array() || found.empty()) return {};
  return found.get_ref<const nlohmann::json::array_t&>();
}

std::int64_t integer_at(const nlohmann::json& document, sv path) {
  const nlohmann::json& found = value_at(document, path);
  if (found.is_number_integer()) return found.get<std::int64_t>();
  return found.is_string() ? parse_integer(found.get_ref<const std::string&>()).value_or(0) : 0;
}

double number_at(const nlohmann::json& document, sv path) {
  const nlohmann::json& found = value_at(document, path);
  return found.is_number() ? found.get<double>() : 0;
}

bool is_false_at(const nlohmann::json& document, sv path) {
  return value_at(document, path) == false;
}

}  // namespace svc::v0
