#include "emulator/api/realtime/session.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/realtime/store.h"
#include "json/text.h"

namespace svc::emulator::realtime {

RealtimeSession::RealtimeSession(SessionParts parts)
    : m_call(std::move(parts.call)),
      m_config(std::move(parts.config)),
      m_speech(std::move(parts.speech)),
      m_timing(parts.timing),
      m_seat(std::move(parts.seat)),
      m_id(make_id("sess_")),
      m_conversation_id(std::move(parts.conversation_id)),
      m_phone(std::move(parts.phone)) {}

void RealtimeSession::on_open(std::shared_ptr<SocketPeer> peer) {
  m_peer = std::move(peer);
  m_out.emplace(m_peer);
  m_input.configure(m_config);
  restore();
  m_out->send("session.created", {{"session", session_json(m_config, m_id)}});
  m_out->send("conversation.created",
              {{"conversation", {{"id", m_conversation_id}, {"object", "realtime.conversation"}}}});
  if (m_history_lost) {
    m_out->complain(
        {"conversation_not_found", "There is no such conversation any more: this is a new one.",
         "conversation_id"},
        "");
  }
  list_server_tools({});
  if (m_config.resumption) replay();
  ping_later();
  m_peer->start_timer(m_timing.limit, [this] {
    end("max_duration",
        fmt::format("The session has reached its limit of {}.", format_duration(m_timing.limit)));
  });
  if (m_phone) attach_call();
}

// What was said before the connection was lost is told when the session asks for resumption again.
void RealtimeSession::restore() {
  if (!m_conversation_id.empty()) {
    auto found = load_conversation(*m_call.state, m_call.key.team_id, m_conversation_id);
    if (found && *found) {
      m_history = std::move(**found);
      return;
    }
    m_history_lost = true;
  }
  m_conversation_id = make_id("conv_");
}

void RealtimeSession::replay() {
  if (m_history.empty()) return;
  m_items.load(std::exchange(m_history, {}));
  std::string previous;
  for (const Item& item : m_items.all()) {
    m_out->send("conversation.item.created",
                {{"previous_item_id", previous.empty() ? Json() : Json(previous)},
                 {"item", item_json(item)}});
    previous = item.id;
  }
}

// A conversation that cannot be saved cannot be resumed, which its client learns soon enough.
void RealtimeSession::save() {
  if (!m_config.resumption) return;
  (void)save_conversation(*m_call.state, m_call.key.team_id, m_conversation_id, m_items.save());
}

void RealtimeSession::ping_later() {
  m_peer->start_timer(m_timing.ping, [this] {
    m_quiet += m_timing.ping;
    if (m_quiet >= m_timing.idle) {
      return end("timeout", fmt::format("The session was idle for {}.", format_duration(m_quiet)));
    }
    m_out->send("ping", {{"timestamp", m_call.state->now_ms()}});
    ping_later();
  });
}

void RealtimeSession::end(sv type, const std::string& message) {
  m_out->complain({.code = std::string(type), .message = message, .type = std::string(type)}, "");
  m_peer->close(k_close_normal, message);
}

void RealtimeSession::attach_call() {
  m_phone->state = phone::CallState::Active;
  const auto set = m_call.state->change(
      [&](Database& database) { return phone::set_call_state(database, *m_phone); });
  if (!set) return m_peer->close(k_close_failure, set.error().message);
  m_line = std::make_unique<CallLine>(
      *m_phone, *m_call.state, m_peer, m_config.input.format.rate,
      CallEars{.hear = [this](const Samples& samples) { add_audio(samples); },
               .key = [this](char key) { press_key(key); },
               .is_busy = [this] { return is_busy(); },
               .over = [this] { m_peer->close(k_close_normal, "The call is over."); }});
  m_line->start();
}

// The service asks an MCP server for its tools when the session names it.
void RealtimeSession::list_server_tools(const std::vector<SessionTool>& before) {
  const auto was_there = [&](const SessionTool& tool) {
    return std::ranges::any_of(
        before, [&](const SessionTool& old) { return old.definition == tool.definition; });
  };
  for (const SessionTool& tool : m_config.tools) {
    if (tool.type != "mcp" || was_there(tool)) continue;
    const Json item = {{"item_id", make_id("mcpl_")}};
    m_out->send("mcp_list_tools.in_progress", item);
    m_out->send(is_reachable(tool) ? "mcp_list_tools.completed" : "mcp_list_tools.failed", item);
  }
}

void RealtimeSession::on_text(std::string message) {
  m_quiet = m_quiet.zero();
  const auto refuse_event = [&](std::string code, std::string why, const std::string& event_id) {
    m_out->complain({std::move(code), std::move(why), "", "invalid_event"}, event_id);
  };
  if (const auto fault = check_json(message)) {
    return refuse_event("invalid_json", fmt::format("That is no JSON: {}.", describe(*fault)), "");
  }
  const Json event = text::parse_json(message);
  const std::string event_id = text::text_of(event, "event_id");
  const std::string type = text::text_of(event, "type");
  if (type.empty()) return refuse_event("missing_type", "A message has a type.", event_id);
  const Handler handler = find_handler(type);
  if (handler == nullptr) {
    return refuse_event("unknown_type",
                        fmt::format("There is no message of the type {}.",
                                    visible(excerpt(type, 60), Lines::Escape)),
                        event_id);
  }
  if (const auto complaint = (this->*handler)(event)) m_out->complain(*complaint, event_id);
}

void RealtimeSession::on_binary(std::string message) {
  m_quiet = m_quiet.zero();
  if (!m_config.input.binary) {
    return m_out->complain(
        {"unexpected_binary",
         "Binary frames carry audio when session.audio.input.transport is binary.", "",
         "invalid_event"},
        "");
  }
  if (const auto complaint = add_bytes(message)) m_out->complain(*complaint, "");
}

void RealtimeSession::on_drained() {
  if (std::exchange(m_stalled, false)) pump();
}

void RealtimeSession::on_closed(std::uint16_t /*code*/, std::string_view /*reason*/) {
  m_line = nullptr;
  m_response = nullptr;
  save();
  // A second that was begun counts.
  m_input_ms += m_input_ms > 0 ? 999 : 0;
  m_output_ms += m_output_ms > 0 ? 999 : 0;
  book();
  m_seat = nullptr;
}

}  // namespace svc::emulator::realtime
