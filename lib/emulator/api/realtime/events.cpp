#include "emulator/api/realtime/events.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/handler/handler.h"

namespace svc::emulator::realtime {

std::string make_id(sv prefix) {
  return std::string(prefix) + replace_all(new_uuid(), "-", "").substr(0, 24);
}

Outbox::Outbox(std::shared_ptr<SocketPeer> peer)
    : m_peer(std::move(peer)), m_prefix(make_id("event_").substr(0, 18)) {}

void Outbox::send(sv type, const Json& members) {
  Json event = {{"type", type}, {"event_id", fmt::format("{}_{}", m_prefix, ++m_count)}};
  event.update(members);
  m_peer->send_text(text::dump(event));
}

void Outbox::complain(const Complaint& complaint, const std::string& event_id) {
  send("error", {{"error",
                  {{"type", complaint.type},
                   {"code", text::or_null(complaint.code)},
                   {"message", complaint.message},
                   {"param", text::or_null(complaint.param)},
                   {"event_id", text::or_null(event_id)}}}});
}

Fields::Fields(const Json& object, std::string path, std::optional<Complaint>& fault)
    : m_object(object), m_path(std::move(path)), m_fault(fault) {}

std::string Fields::path_of(sv name) const {
  return m_path.empty() ? std::string(name) : fmt::format("{}.{}", m_path, name);
}

void Fields::fail(sv name, std::string code, std::string message) {
  if (!m_fault) m_fault = Complaint{std::move(code), std::move(message), path_of(name)};
}

void Fields::require(sv name, bool present) {
  if (!present) fail(name, "missing_parameter", fmt::format("{} is required.", path_of(name)));
}

const Json* Fields::find(sv name, bool (Json::*fits)() const, sv sort) {
  const Json* value = m_fault ? nullptr : text::member(m_object, name);
  if (value == nullptr || (value->*fits)()) return value;
  fail(name, "invalid_type", fmt::format("{} must be {}.", path_of(name), sort));
  return nullptr;
}

void Fields::text(sv name, std::string& target) {
  if (const Json* value = find(name, &Json::is_string, "a string")) {
    target = value->get<std::string>();
  }
}

void Fields::word(sv name, std::span<const sv> words, std::string& target) {
  std::string given = target;
  text(name, given);
  if (m_fault || given == target) return;
  if (std::ranges::find(words, given) == words.end()) {
    return fail(name, "invalid_value",
                fmt::format("{} must be one of {}, not {}.", path_of(name), join(words, ", "),
                            shown(given)));
  }
  target = given;
}

void Fields::flag(sv name, bool& target) {
  if (const Json* value = find(name, &Json::is_boolean, "a boolean")) target = value->get<bool>();
}

template <typename Number>
void Fields::within(sv name, Number low, Number high, Number given, Number& target) {
  if (given >= low && given <= high) {
    target = given;
  } else {
    fail(name, "invalid_value",
         fmt::format("{} must be {} to {}, not {}.", path_of(name), low, high, given));
  }
}

void Fields::number(sv name, double low, double high, double& target) {
  if (const Json* value = find(name, &Json::is_number, "a number")) {
    within(name, low, high, value->get<double>(), target);
  }
}

void Fields::integer(sv name, std::int64_t low, std::int64_t high, std::int64_t& target) {
  if (find(name, &Json::is_number_integer, "an integer") == nullptr) return;
  const auto given = text::integer_of(m_object, name);
  if (!given) {  // beyond 64 bits
    return fail(name, "invalid_type", fmt::format("{} must be an integer.", path_of(name)));
  }
  within(name, low, high, *given, target);
}

const Json* Fields::object(sv name) {
  return find(name, &Json::is_object, "an object");
}

std::optional<Fields> Fields::child(sv name) {
  const Json* value = object(name);
  return value != nullptr ? std::optional(Fields(*value, path_of(name), m_fault)) : std::nullopt;
}

const Json* Fields::list(sv name) {
  return find(name, &Json::is_array, "an array");
}

}  // namespace svc::emulator::realtime
