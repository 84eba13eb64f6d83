#include "voice/event_json.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "json/document.h"
#include "json/text.h"

namespace svc::voice {

using nlohmann::json;

json read_event(std::string_view text) {
  if (check_json(text)) return nullptr;
  json event = parse_reply(text);
  return event.is_object() ? event : json(nullptr);
}

std::string message_line(const OrderedJson& message) {
  return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

const json& member_of(const json& event, const char* name) {
  static const json k_null;
  if (!event.is_object()) return k_null;
  const auto found = event.find(name);
  return found == event.end() ? k_null : *found;
}

bool flag_of(const json& event, const char* name) {
  const json& member = member_of(event, name);
  return member.is_boolean() && member.get<bool>();
}

std::optional<double> number_of(const json& event, const char* name) {
  const json& member = member_of(event, name);
  if (!member.is_number()) return std::nullopt;
  const double number = member.get<double>();
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<int> count_of(const json& event, const char* name) {
  const auto number = number_of(event, name);
  if (!number || *number < 0 || *number > 1e6 || *number != std::floor(*number)) return {};
  return static_cast<int>(*number);
}

std::string error_message_of(const json& event) {
  const json& error = member_of(event, "error");
  if (error.is_string()) return error.get<std::string>();
  for (const json* holder : {&event, &error}) {
    for (const char* name : {"message", "code", "type"}) {
      std::string text = text_member(*holder, name);
      if (!text.empty() && text != "error") return text;
    }
  }
  return "an error without a message";
}

}  // namespace svc::voice
