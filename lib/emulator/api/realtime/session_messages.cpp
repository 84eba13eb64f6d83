// What the client of a realtime session says.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/text.h"
#include "emulator/api/realtime/fields.h"
#include "emulator/api/realtime/session.h"

namespace svc::emulator::realtime {
namespace {

constexpr std::size_t k_most_metadata = 16;

Complaint no_item(const std::string& id, const std::string& param) {
  return {"item_not_found",
          fmt::format("There is no item {}.", visible(excerpt(id, 60), Lines::Escape)), param};
}

Complaint already_answering() {
  return {"conversation_already_has_active_response",
          "A response is in progress: wait for its response.done, or cancel it."};
}

std::optional<Complaint> read_metadata(const Json& response, ResponseWish& wish) {
  const Json* metadata = text::member(response, "metadata");
  if (metadata == nullptr) return std::nullopt;
  const bool fits =
      metadata->is_object() && metadata->size() <= k_most_metadata &&
      std::ranges::all_of(*metadata, [](const Json& value) { return value.is_string(); });
  if (!fits) {
    return Complaint{"invalid_value",
                     fmt::format("response.metadata holds at most {} texts.", k_most_metadata),
                     "response.metadata"};
  }
  wish.metadata = text::dump(*metadata);
  return std::nullopt;
}

}  // namespace

RealtimeSession::Handler RealtimeSession::find_handler(sv type) {
  static constexpr std::array k_rows = {
      MessageRow{"session.update", &RealtimeSession::on_update},
      MessageRow{"input_audio_buffer.append", &RealtimeSession::on_append},
      MessageRow{"input_audio_buffer.commit", &RealtimeSession::on_commit},
      MessageRow{"input_audio_buffer.clear", &RealtimeSession::on_clear},
      MessageRow{"conversation.item.create", &RealtimeSession::on_create_item},
      MessageRow{"conversation.item.delete", &RealtimeSession::on_delete_item},
      MessageRow{"conversation.item.truncate", &RealtimeSession::on_truncate_item},
      MessageRow{"response.create", &RealtimeSession::on_create_response},
      MessageRow{"response.cancel", &RealtimeSession::on_cancel_response},
  };
  const auto found = std::ranges::find(k_rows, type, &MessageRow::type);
  return found == k_rows.end() ? nullptr : found->handle;
}

std::optional<Complaint> RealtimeSession::on_update(const Json& message) {
  const auto session = message.find("session");
  if (session == message.end()) {
    return Complaint{"missing_parameter", "session is required.", "session"};
  }
  const SessionConfig before = m_config;
  if (auto complaint = apply_session(*session, m_phone.has_value(), m_config)) return complaint;
  if (m_input.configure(m_config)) {
    m_turn_item.clear();
    m_rest.clear();
  }
  if (!m_config.turns.idle_ms || !m_config.turns.server) stop_idle_timer();
  m_out->send("session.updated", {{"session", session_json(m_config, m_id)}});
  list_server_tools(before.tools);
  if (m_config.resumption && !before.resumption) {
    replay();
    save();
  }
  return std::nullopt;
}

// A client's own audio has no place on a call.
std::optional<Complaint> RealtimeSession::media_fault() const {
  if (!m_phone) return std::nullopt;
  return Complaint{"media_owned_by_service", "On a SIP call the service owns the media."};
}

std::optional<Complaint> RealtimeSession::on_append(const Json& message) {
  if (auto complaint = media_fault()) return complaint;
  const Json* audio = text::member(message, "audio");
  if (audio == nullptr || !audio->is_string()) {
    return Complaint{"missing_parameter", "audio must be base64.", "audio"};
  }
  const auto bytes = base64_decode(audio->get_ref<const std::string&>());
  if (!bytes) return Complaint{"invalid_value", "audio must be base64.", "audio"};
  return add_bytes(*bytes);
}

std::optional<Complaint> RealtimeSession::on_commit(const Json& /*message*/) {
  if (auto complaint = media_fault()) return complaint;
  if (m_config.turns.server) {
    return Complaint{"commit_not_allowed",
                     "With server_vad the service commits by itself: set turn_detection to null to "
                     "commit."};
  }
  if (m_input.empty()) {
    return Complaint{"input_audio_buffer_commit_empty", "The input audio buffer is empty."};
  }
  commit_audio(make_id("item_"), m_input.take_all());
  return std::nullopt;
}

std::optional<Complaint> RealtimeSession::on_clear(const Json& /*message*/) {
  if (auto complaint = media_fault()) return complaint;
  m_input.clear();
  m_rest.clear();
  m_turn_item.clear();
  m_out->send("input_audio_buffer.cleared", Json::object());
  return std::nullopt;
}

std::optional<Complaint> RealtimeSession::on_create_item(const Json& message) {
  const Json* given = text::member(message, "item");
  if (given == nullptr || !given->is_object()) {
    return Complaint{"missing_parameter", "item must be an object.", "item"};
  }
  GivenItem read;
  if (auto complaint = read_item(*given, read)) return complaint;
  if (read.item.id.empty()) read.item.id = make_id("item_");
  if (m_items.find(read.item.id) != nullptr) {
    return Complaint{"item_exists", fmt::format("There is an item {} already.", read.item.id),
                     "item.id"};
  }
  if (read.item.type == "function_call_output" &&
      std::ranges::none_of(m_items.all(), [&](const Item& item) {
        return item.type == "function_call" && item.call_id == read.item.call_id;
      })) {
    return Complaint{"call_not_found",
                     fmt::format("There is no function call {}.",
                                 visible(excerpt(read.item.call_id, 60), Lines::Escape)),
                     "item.call_id"};
  }
  if (read.forced) return force_message(read);
  const std::string previous = text::text_of(message, "previous_item_id");
  if (!previous.empty() && previous != "root" && m_items.find(previous) == nullptr) {
    return no_item(previous, "previous_item_id");
  }
  stop_idle_timer();
  const std::string id = read.item.id;
  add_item(std::move(read.item), previous);
  if (read.audio) hear(id, audio::decode(*read.audio, m_config.input.format.encoding));
  return std::nullopt;
}

std::optional<Complaint> RealtimeSession::force_message(const GivenItem& given) {
  if (m_response) return already_answering();
  ResponseWish wish = usual_wish();
  wish.forced = given.item.text;
  wish.interruptible = given.interruptible;
  wish.voice = given.voice;
  start_response(std::move(wish));
  return std::nullopt;
}

std::optional<Complaint> RealtimeSession::on_delete_item(const Json& message) {
  const std::string id = text::text_of(message, "item_id");
  const Item* item = m_items.find(id);
  if (item == nullptr) return no_item(id, "item_id");
  if (item->status == "in_progress") {
    return Complaint{"item_in_progress", "That item is being made: cancel the response first.",
                     "item_id"};
  }
  m_items.erase(id);
  m_out->send("conversation.item.deleted", {{"item_id", id}});
  save();
  return std::nullopt;
}

std::optional<Complaint> RealtimeSession::on_truncate_item(const Json& message) {
  const std::string id = text::text_of(message, "item_id");
  Item* item = m_items.find(id);
  if (item == nullptr) return no_item(id, "item_id");
  if (item->role != "assistant" || !item->spoken) {
    return Complaint{"item_has_no_audio", "Only the assistant's audio can be truncated.",
                     "item_id"};
  }
  if (text::integer_of(message, "content_index").value_or(0) != 0) {
    return Complaint{"invalid_value", "The audio of an item is its content 0.", "content_index"};
  }
  const auto end_ms = text::integer_of(message, "audio_end_ms");
  if (!end_ms || *end_ms < 0) {
    return Complaint{"invalid_value", "audio_end_ms must be a whole number from 0 on.",
                     "audio_end_ms"};
  }
  if (*end_ms > item->audio_ms) {
    return Complaint{"audio_end_beyond_audio",
                     fmt::format("audio_end_ms {} is beyond the {} ms of audio that item {} has.",
                                 *end_ms, item->audio_ms, id),
                     "audio_end_ms"};
  }
  truncate_item(*item, *end_ms);
  m_out->send("conversation.item.truncated", {{"item_id", id},
                                              {"content_index", 0},
                                              {"audio_end_ms", *end_ms},
                                              {"transcript", item->text}});
  save();
  return std::nullopt;
}

std::optional<Complaint> RealtimeSession::on_create_response(const Json& message) {
  ResponseWish wish = usual_wish();
  if (const Json* given = text::member(message, "response")) {
    std::optional<Complaint> fault;
    Fields fields(*given, "response", fault);
    fields.text("instructions", wish.instructions);
    if (const Json* modalities = fields.list("modalities")) {
      fault = read_modalities(*modalities, "response.modalities", wish.speaks);
    }
    if (!fault) fault = read_metadata(*given, wish);
    if (fault) return fault;
  }
  if (m_response) return already_answering();
  start_response(std::move(wish));
  return std::nullopt;
}

std::optional<Complaint> RealtimeSession::on_cancel_response(const Json& message) {
  const std::string id = text::text_of(message, "response_id");
  if (!m_response) {
    return Complaint{"response_cancel_not_active", "No response is in progress."};
  }
  if (!id.empty() && id != m_response->id()) {
    return Complaint{"response_not_found",
                     fmt::format("The response in progress is {}, not {}.", m_response->id(),
                                 visible(excerpt(id, 60), Lines::Escape)),
                     "response_id"};
  }
  cancel_response("client_cancelled");
  return std::nullopt;
}

}  // namespace svc::emulator::realtime
