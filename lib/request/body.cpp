#include "request/body.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/text.h"
#include "request/convert.h"

namespace svc::request {
namespace {

/// Whether "type=web_search" selects this element of an array.
bool is_picked(const OrderedJson& element, sv part) {
  if (!element.is_object()) return false;
  const std::size_t equals = part.find('=');
  const auto member = element.find(std::string(part.substr(0, equals)));
  return member != element.end() && *member == OrderedJson(std::string(part.substr(equals + 1)));
}

/// The array element selected by a field, as in "type=web_search"; created if missing. Usage if
/// several elements match.
Result<OrderedJson*> pick(OrderedJson& array, sv part) {
  const std::size_t equals = part.find('=');
  const std::string name(part.substr(0, equals));
  const std::string value(part.substr(equals + 1));
  OrderedJson* found = nullptr;
  for (OrderedJson& element : array) {
    if (!is_picked(element, part)) continue;
    if (found != nullptr) {
      return usage_error(fmt::format("ambiguous: several elements have {} {}", name, value),
                         "Pass each as a JSON object with all its fields.");
    }
    found = &element;
  }
  if (found == nullptr) {
    array.push_back(OrderedJson{{name, value}});
    found = &array.back();
  }
  return found;
}

/// Walks to the parent of the last component, creating objects; returns the location of the field.
Result<OrderedJson*> place(OrderedJson& body, std::string_view path) {
  OrderedJson* at = &body;
  for (const sv part : split(path, '.')) {
    if (part.empty()) {
      return usage_error(fmt::format("'{}' is not a field path", visible(path, Lines::Escape)),
                         "Join names with dots, such as text.format.type.");
    }
    const bool picks = part.find('=') != sv::npos;
    if (at->is_null()) *at = picks ? OrderedJson::array() : OrderedJson::object();
    if (at->is_array() && picks) {
      SVC_TRY(element, pick(*at, part));
      at = element;
      continue;
    }
    if (at->is_array()) {
      const auto index = parse_integer(part);
      if (!index || *index < 0 || static_cast<std::size_t>(*index) > at->size()) {
        return usage_error(fmt::format("'{}' is not an element of the array with {} elements",
                                       visible(path, Lines::Escape), at->size()));
      }
      const auto position = static_cast<std::size_t>(*index);
      if (position == at->size()) at->push_back(nullptr);
      at = &(*at)[position];
      continue;
    }
    if (!at->is_object()) {
      return usage_error(fmt::format("'{}' cannot be set: a parent is not an object",
                                     visible(path, Lines::Escape)));
    }
    at = &(*at)[std::string(part)];
  }
  return at;
}

Result<OrderedJson> set_value(std::string_view path, std::string_view text) {
  const std::string name = fmt::format("--set {}", visible(path, Lines::Escape));
  if (text.starts_with('@')) return resolve_json(name, text);
  if (!check_json(text)) return parse_user_json(name, text);
  constexpr std::string_view json_starts = "{[\"-0123456789";
  const bool word = !text.empty() && json_starts.find(text.front()) == sv::npos;
  if (!word) return parse_user_json(name, text);
  SVC_TRY(plain, resolve_text(name, text, false));
  return OrderedJson(std::move(plain));
}

}  // namespace

Result<OrderedJson> base_body(const Inputs& inputs, const std::optional<std::string>& stdin_text) {
  if (!inputs.body) return OrderedJson::object();
  Result<OrderedJson> parsed = OrderedJson();
  if (*inputs.body == "-") {
    if (!stdin_text) {
      return usage_error("--body is -, but standard input is empty");
    }
    parsed = parse_user_json("--body (standard input)", *stdin_text);
  } else {
    parsed = resolve_json("--body", *inputs.body);
  }
  if (!parsed) return parsed;
  if (!parsed->is_object()) {
    return usage_error(fmt::format("--body must be a JSON object, not {} {}",
                                   parsed->is_array() ? "an" : "a", parsed->type_name()));
  }
  return parsed;
}

Result<void> apply_sets(OrderedJson& body, const Inputs& inputs) {
  for (const std::string& set : inputs.sets) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
      return usage_error(fmt::format("--set must be PATH=JSON, not '{}'", shown(set)));
    }
    const std::string_view path = std::string_view(set).substr(0, equals);
    SVC_TRY(value, set_value(path, std::string_view(set).substr(equals + 1)));
    SVC_CHECK(put(body, path, std::move(value)));
  }
  return {};
}

Result<void> put(OrderedJson& body, std::string_view path, OrderedJson value) {
  SVC_TRY(target, place(body, path));
  *target = std::move(value);
  return {};
}

Result<void> append(OrderedJson& body, std::string_view path, OrderedJson value) {
  SVC_TRY(target, place(body, path));
  if (target->is_null()) *target = OrderedJson::array();
  if (!target->is_array()) {
    return usage_error(fmt::format("'{}' is not an array and cannot be appended to", path));
  }
  if (value.is_array()) {
    for (OrderedJson& element : value) target->push_back(std::move(element));
  } else {
    target->push_back(std::move(value));
  }
  return {};
}

const OrderedJson* find(const OrderedJson& body, std::string_view path) {
  const OrderedJson* at = &body;
  for (const sv part : split(path, '.')) {
    if (at->is_array() && part.find('=') != sv::npos) {
      const auto element = std::find_if(
          at->begin(), at->end(), [&](const OrderedJson& one) { return is_picked(one, part); });
      if (element == at->end()) return nullptr;
      at = &*element;
      continue;
    }
    if (!at->is_object()) return nullptr;
    const auto member = at->find(std::string(part));
    if (member == at->end()) return nullptr;
    at = &*member;
  }
  return at;
}

std::string tool_call(std::string_view tool, const OrderedJson& arguments) {
  OrderedJson params = {{"name", tool}, {"arguments", arguments}};
  return json_rpc_request(std::to_string(k_rpc_id), "tools/call", params.dump());
}

}  // namespace svc::request
