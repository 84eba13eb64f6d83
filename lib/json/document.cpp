#include "json/document.h"

#include <nlohmann/json.hpp>

#include "json/repair.h"

namespace svc {

namespace {

template <typename OrderedJson>
OrderedJson parse(std::string_view text) {
  OrderedJson document = OrderedJson::parse(text, nullptr, false);
  if (document.is_discarded()) document = OrderedJson::parse(repair_json(text), nullptr, false);
  return document;
}

template <typename OrderedJson>
std::string to_line(const OrderedJson& document) {
  return document.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

template <typename OrderedJson>
std::string text_of_member(const OrderedJson& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found != object.end() && found->is_string() ? found->template get<std::string>()
                                                     : std::string();
}

template <typename OrderedJson>
std::string text_of_value(const OrderedJson& value) {
  if (value.is_null()) return {};
  return value.is_string() ? value.template get<std::string>() : to_line(value);
}

}  // namespace

nlohmann::json parse_reply(std::string_view text) {
  return parse<nlohmann::json>(text);
}

OrderedJson parse_reply_in_order(std::string_view text) {
  return parse<OrderedJson>(text);
}

std::string compact_json(const nlohmann::json& document) {
  return to_line(document);
}

std::string compact_json(const OrderedJson& document) {
  return to_line(document);
}

std::string text_member(const nlohmann::json& object, const char* name) {
  return text_of_member(object, name);
}

std::string text_member(const OrderedJson& object, const char* name) {
  return text_of_member(object, name);
}

std::string text_member(const nlohmann::json& object, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (std::string text = text_member(object, name); !text.empty()) return text;
  }
  return {};
}

std::string plain_text(const nlohmann::json& value) {
  return text_of_value(value);
}

std::string plain_text(const OrderedJson& value) {
  return text_of_value(value);
}

OrderedJson text_or_null(const std::string& text) {
  return text.empty() ? OrderedJson() : OrderedJson(text);
}

const nlohmann::json& member(const nlohmann::json& object, const char* name) {
  static const nlohmann::json none;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found != object.end() ? *found : none;
}

}  // namespace svc
