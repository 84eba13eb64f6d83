#include "commands/realtime/turns.h"

#include <string_view>

#include <nlohmann/json.hpp>

#include "client/usage.h"
#include "json/document.h"
#include "json/slices.h"
#include "json/text.h"

namespace svc::cli {
namespace {

/// The text at that path; "" when there is none.
std::string event_text(std::string_view json, std::string_view path) {
  const auto piece = json_member(json, path);
  if (!piece || !piece->starts_with('"')) return {};
  const nlohmann::json value = parse_reply(*piece);
  return value.is_string() ? value.get<std::string>() : std::string();
}

/// What a message is; "" for one that is no JSON object. Sound is not looked into.
std::string type_of(const std::string& text) {
  if (check_json(text)) return {};
  return event_text(text, "type");
}

}  // namespace

void RealtimeTurns::sent(const std::string& text) {
  const std::string type = type_of(text);
  // What is to be said word for word is an answer by itself.
  const bool spoken =
      type == "conversation.item.create" && event_text(text, "item.type") == "force_message";
  if (type == "response.create" || spoken) ++m_asked;
}

void RealtimeTurns::arrived(const std::string& text) {
  const std::string type = type_of(text);
  if (type == "response.created") response_created(event_text(text, "response.id"));
  if (type == "response.done") {
    response_done(event_text(text, "response.id"));
    m_usage.add(read_usage(json_member(text, "response").value_or("{}")).value_or(Usage{}));
  }
  // What was asked for may be what was refused.
  if (type == "error" && m_asked > 0) --m_asked;
  if (type == "conversation.created") m_conversation = event_text(text, "conversation.id");
  if (type == "input_audio_buffer.dtmf_event_received") m_on_key(event_text(text, "event"));
}

void RealtimeTurns::response_created(const std::string& id) {
  if (m_asked > 0) --m_asked;
  m_open.insert(id);
}

void RealtimeTurns::response_done(const std::string& id) {
  if (m_open.erase(id) == 0 && m_asked > 0) --m_asked;
}

}  // namespace svc::cli
