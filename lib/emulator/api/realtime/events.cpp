#include "emulator/api/realtime/events.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/state/state.h"

namespace svc::emulator::realtime {

std::string make_id(State& state, sv prefix) {
  return std::string(prefix) + replace_all(state.new_uuid(), "-", "").substr(0, 24);
}

Outbox::Outbox(std::shared_ptr<SocketPeer> peer, State& state)
    : m_peer(std::move(peer)), m_state(state), m_prefix(make_id("event_").substr(0, 18)) {}

void Outbox::send(sv type, const Json& members) {
  Json event = {{"type", type}, {"event_id", fmt::format("{}_{}", m_prefix, ++m_count)}};
  event.update(members);
  m_peer->send_text(text::dump(event));
}

void Outbox::send_error(const ErrorDetails& error, const std::string& event_id) {
  send("error", {{"error",
                  {{"type", error.type},
                   {"code", text::or_null(error.code)},
                   {"message", error.message},
                   {"param", text::or_null(error.param)},
                   {"event_id", text::or_null(event_id)}}}});
}

FieldReader::FieldReader(const Json& object, std::string path, std::optional<ErrorDetails>& error)
    : m_object(object), m_path(std::move(path)), m_error(error) {}

std::string FieldReader::path_of(sv name) const {
  return m_path.empty() ? std::string(name) : fmt::format("{}.{}", m_path, name);
}

void FieldReader::fail(sv name, std::string code, std::string message) {
  if (!m_error) m_error = ErrorDetails{std::move(code), std::move(message), path_of(name)};
}

void FieldReader::require(sv name, bool present) {
  if (!present) fail(name, "missing_parameter", fmt::format("{} is required.", path_of(name)));
}

const Json* FieldReader::find(sv name, bool (Json::*matches)() const, sv type_name) {
  const Json* value = m_error ? nullptr : text::member(m_object, name);
  if (value == nullptr || (value->*matches)()) return value;
  fail(name, "invalid_type", fmt::format("{} must be {}.", path_of(name), type_name));
  return nullptr;
}

void FieldReader::text(sv name, std::string& target) {
  if (const Json* value = find(name, &Json::is_string, "a string")) {
    target = value->get<std::string>();
  }
}

void FieldReader::word(sv name, std::span<const sv> words, std::string& target) {
  std::string given = target;
  text(name, given);
  if (m_error || given == target) return;
  if (std::ranges::find(words, given) == words.end()) {
    return fail(name, "invalid_value",
                fmt::format("{} must be one of {}, not {}.", path_of(name), join(words, ", "),
                            shown(given)));
  }
  target = given;
}

void FieldReader::flag(sv name, bool& target) {
  if (const Json* value = find(name, &Json::is_boolean, "a boolean")) target = value->get<bool>();
}

template <typename Number>
void FieldReader::within(sv name, Number low, Number high, Number given, Number& target) {
  if (given >= low && given <= high) {
    target = given;
  } else {
    fail(name, "invalid_value",
         fmt::format("{} must be {} to {}, not {}.", path_of(name), low, high, given));
  }
}

void FieldReader::number(sv name, double low, double high, double& target) {
  if (const Json* value = find(name, &Json::is_number, "a number")) {
    within(name, low, high, value->get<double>(), target);
  }
}

void FieldReader::integer(sv name, std::int64_t low, std::int64_t high, std::int64_t& target) {
  if (find(name, &Json::is_number_integer, "an integer") == nullptr) return;
  const auto given = text::get_integer(m_object, name);
  if (!given) {  // beyond 64 bits
    return fail(name, "invalid_type", fmt::format("{} must be an integer.", path_of(name)));
  }
  within(name, low, high, *given, target);
}

const Json* FieldReader::object(sv name) {
  return find(name, &Json::is_object, "an object");
}

std::optional<FieldReader> FieldReader::child(sv name) {
  const Json* value = object(name);
  return value != nullptr ? std::optional(FieldReader(*value, path_of(name), m_error))
                          : std::nullopt;
}

const Json* FieldReader::list(sv name) {
  return find(name, &Json::is_array, "an array");
}

}  // namespace svc::emulator::realtime
