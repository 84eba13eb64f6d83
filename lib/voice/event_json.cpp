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

bool flag_of(const json& event, const char* name) {
  const json& flag = member(event, name);
  return flag.is_boolean() && flag.get<bool>();
}

std::optional<double> number_of(const json& event, const char* name) {
  const json& value = member(event, name);
  const double number = value.is_number() ? value.get<double>() : NAN;
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<int> count_of(const json& event, const char* name) {
  const auto number = number_of(event, name);
  if (!number || *number < 0 || *number > 1e6 || *number != std::floor(*number)) return {};
  return static_cast<int>(*number);
}

std::string error_message_of(const json& event) {
  const json& error = member(event, "error");
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
