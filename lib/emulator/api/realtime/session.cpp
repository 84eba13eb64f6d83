#include "emulator/api/realtime/session.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/result.h"
#include "base/text.h"
#include "emulator/account/ledger.h"
#include "emulator/account/models.h"
#include "emulator/api/realtime/events.h"
#include "database/rows.h"
#include "emulator/state/state.h"
#include "json/text.h"

namespace svc::emulator::realtime {
namespace {

/// How long a conversation is stored after its last activity.
constexpr std::int64_t k_history_ms = 30 * 60'000;

constexpr std::size_t k_most_metadata = 16;

Complaint no_item(const std::string& id, const std::string& param) {
  return {"item_not_found", fmt::format("There is no item {}.", shown(id)), param};
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

// What to say after long silence.
constexpr sv k_check_in = "This is the emulator. Are you still there?";

// How much longer a turn must be before its next interim transcription.
constexpr std::int64_t k_look_every_ms = 1'000;

// Formats "hello world" as a sentence.
std::string as_sentence(const std::string& words) {
  std::string sentence = words;
  if (!sentence.empty() && sentence[0] >= 'a' && sentence[0] <= 'z') {
    sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
  }
  return sentence.empty() ? sentence : sentence + ".";
}

// The maximum queued for a client that reads slowly.
constexpr std::size_t k_most_waiting = 4U << 20U;

}  // namespace

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
  const bool restored = restore();
  m_out->send("session.created", {{"session", session_json(m_config, m_id)}});
  m_out->send("conversation.created",
              {{"conversation", {{"id", m_conversation_id}, {"object", "realtime.conversation"}}}});
  if (!restored) {
    m_out->complain({"conversation_not_found",
                     "There is no such conversation any more: this is a new one.",
                     "conversation_id"});
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

// Events before the connection was lost are replayed when the session requests resumption. Returns
// false if there is no such conversation any more.
bool RealtimeSession::restore() {
  const bool resumes = !m_conversation_id.empty();
  if (resumes) {
    const auto found = m_call.state->with([&](Database& database) {
      return first_value<std::string>(
          database, "SELECT items FROM conversations WHERE id = ? AND team_id = ? AND last_ms >= ?",
          m_conversation_id, m_call.key.team_id, m_call.state->now_ms() - k_history_ms);
    });
    if (found && !found->empty()) {
      m_history = *found;
      return true;
    }
  }
  m_conversation_id = make_id("conv_");
  return !resumes;
}

void RealtimeSession::replay() {
  if (m_history.empty()) return;
  m_items.load(std::exchange(m_history, {}));
  std::string previous;
  for (const Item& item : m_items.all()) {
    m_out->send("conversation.item.created",
                {{"previous_item_id", text::or_null(previous)}, {"item", item_json(item)}});
    previous = item.id;
  }
}

// If saving fails, the conversation cannot be resumed, which the client notices then.
void RealtimeSession::save() {
  if (!m_config.resumption) return;
  const std::int64_t now = m_call.state->now_ms();
  (void)m_call.state->change([&](Database& database) -> Result<void> {
    SVC_CHECK(database.change("DELETE FROM conversations WHERE last_ms < ?", now - k_history_ms));
    return run_sql(database,
                   "INSERT INTO conversations (id, team_id, last_ms, items) VALUES"
                   " (?,?,?,?) ON CONFLICT (id) DO UPDATE SET last_ms = excluded.last_ms,"
                   " items = excluded.items",
                   m_conversation_id, m_call.key.team_id, now, m_items.save());
  });
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
  m_out->complain({.code = std::string(type), .message = message, .type = std::string(type)});
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

// The service asks an MCP server for its tools when the session configures it.
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
    return refuse_event("invalid_json",
                        fmt::format("The message is not JSON: {}.", describe(*fault)), "");
  }
  const Json event = text::parse_json(message);
  const std::string event_id = text::text_of(event, "event_id");
  const std::string type = text::text_of(event, "type");
  if (type.empty()) return refuse_event("missing_type", "A message has a type.", event_id);
  const Handler handler = find_handler(type);
  if (handler == nullptr) {
    return refuse_event("unknown_type",
                        fmt::format("There is no message of the type {}.", shown(type)), event_id);
  }
  if (const auto complaint = (this->*handler)(event)) m_out->complain(*complaint, event_id);
}

void RealtimeSession::on_binary(std::string message) {
  m_quiet = m_quiet.zero();
  if (!m_config.input.binary) {
    return m_out->complain(
        {"unexpected_binary",
         "Binary frames carry audio when session.audio.input.transport is binary.", "",
         "invalid_event"});
  }
  if (const auto complaint = add_bytes(message)) m_out->complain(*complaint);
}

void RealtimeSession::on_drained() {
  if (std::exchange(m_stalled, false)) pump();
}

void RealtimeSession::on_closed(std::uint16_t /*code*/, std::string_view /*reason*/) {
  m_line = nullptr;
  m_response = nullptr;
  save();
  // A partial second counts as a whole one.
  m_input_ms += m_input_ms > 0 ? 999 : 0;
  m_output_ms += m_output_ms > 0 ? 999 : 0;
  book();
  m_seat = nullptr;
}

// Messages of a realtime session's client.

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

// On a phone call, the client cannot send its own audio.
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
                     fmt::format("There is no function call {}.", shown(read.item.call_id)),
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
  start_response({.speaks = m_config.speaks,
                  .interruptible = given.interruptible,
                  .forced = given.item.text,
                  .voice = given.voice});
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
  ResponseWish wish{.speaks = m_config.speaks};
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
    return Complaint{
        "response_not_found",
        fmt::format("The response in progress is {}, not {}.", m_response->id(), shown(id)),
        "response_id"};
  }
  cancel_response("client_cancelled");
  return std::nullopt;
}

// The user's input in a realtime session: audio, its turns, and telephone keys.

std::optional<Complaint> RealtimeSession::add_bytes(std::string_view bytes) {
  if (auto complaint = media_fault()) return complaint;
  if (m_input.is_full()) {
    return Complaint{"input_audio_buffer_full",
                     "The input audio buffer holds ten minutes: commit or clear it."};
  }
  m_rest += bytes;
  const std::size_t whole =
      m_rest.size() - m_rest.size() % audio::bytes_per_sample(m_config.input.format.encoding);
  const Samples samples =
      audio::decode(sv(m_rest).substr(0, whole), m_config.input.format.encoding);
  m_rest.erase(0, whole);
  add_audio(samples);
  return std::nullopt;
}

void RealtimeSession::add_audio(const Samples& samples) {
  for (const VadMark& mark : m_input.add(samples)) {
    if (mark.started) {
      on_speech_started(mark.at_ms);
    } else {
      on_speech_stopped(mark.at_ms);
    }
  }
  if (!m_turn_item.empty() && m_config.input.live) hear_meanwhile();
}

void RealtimeSession::on_speech_started(std::int64_t at_ms) {
  flush_keys(false);
  stop_idle_timer();
  m_turn_item = make_id("item_");
  m_turn_begin_ms = at_ms;
  m_next_look_ms = at_ms + k_look_every_ms;
  m_out->send("input_audio_buffer.speech_started",
              {{"item_id", m_turn_item}, {"audio_start_ms", at_ms}});
  // Load recognition now, so that it is ready when the first turn ends.
  if (!std::exchange(m_speech_ready, true)) {
    m_peer->run_apart([speech = m_speech] { speech->get_ready(); });
  }
  // One answer covers everything said so far.
  m_due.reset();
  if (m_response && m_response->wish().interruptible) cancel_response("turn_detected");
}

void RealtimeSession::on_speech_stopped(std::int64_t at_ms) {
  const std::string item_id = std::exchange(m_turn_item, {});
  if (item_id.empty()) return;  // it started under another configuration
  m_out->send("input_audio_buffer.speech_stopped", {{"item_id", item_id}, {"audio_end_ms", at_ms}});
  commit_audio(item_id, m_input.take(m_turn_begin_ms, at_ms));
  answer_when_free();
}

void RealtimeSession::commit_item(const std::string& item_id) {
  m_out->send("input_audio_buffer.committed",
              {{"item_id", item_id}, {"previous_item_id", text::or_null(m_items.last_id())}});
  Item item{.id = item_id, .role = "user"};
  item.spoken = true;
  add_item(std::move(item));
}

void RealtimeSession::commit_audio(const std::string& item_id, Samples samples) {
  commit_item(item_id);
  hear(item_id, std::move(samples));
}

void RealtimeSession::add_item(Item item, const std::string& previous) {
  const Item* added = m_items.add(std::move(item), previous);
  m_out->send("conversation.item.added",
              {{"previous_item_id", text::or_null(m_items.before(added->id))},
               {"item", item_json(*added)}});
  save();
}

// --- transcription ---------------------------------------------------------------------------

void RealtimeSession::recognize(Samples samples,
                                std::function<void(const Result<std::string>&)> done) {
  m_peer->run_apart([self = shared_from_this(), peer = m_peer, done = std::move(done),
                     rate = m_config.input.format.rate,
                     audio = std::make_shared<const Samples>(std::move(samples))] {
    auto heard = std::make_shared<Result<std::string>>(self->m_speech->hear(*audio, rate));
    peer->post([self, done, heard] { done(*heard); });
  });
}

void RealtimeSession::hear(const std::string& item_id, Samples samples) {
  m_input_ms += milliseconds_of(samples.size(), m_config.input.format.rate);
  ++m_hearings;
  recognize(std::move(samples), [this, item_id](const auto& heard) { on_heard(item_id, heard); });
}

// Sends interim transcripts of the current turn, one at a time.
void RealtimeSession::hear_meanwhile() {
  if (m_looking || m_input.position_ms() < m_next_look_ms) return;
  m_looking = true;
  m_next_look_ms = m_input.position_ms() + k_look_every_ms;
  recognize(m_input.copy_from(m_turn_begin_ms), [this, item_id = m_turn_item](const auto& heard) {
    m_looking = false;
    // Once the turn has ended, its complete transcript follows.
    if (m_turn_item != item_id || !heard || heard->empty()) return;
    m_out->send("conversation.item.input_audio_transcription.updated",
                {{"item_id", item_id}, {"transcript", *heard}});
  });
}

void RealtimeSession::on_heard(const std::string& item_id, const Result<std::string>& heard) {
  --m_hearings;
  const auto tell = [&](const std::string& transcript, sv status) {
    m_out->send("conversation.item.input_audio_transcription.completed",
                {{"item_id", item_id},
                 {"content_index", 0},
                 {"transcript", transcript},
                 {"status", status}});
  };
  if (Item* item = m_items.find(item_id)) {
    item->text = heard ? *heard : "";
    if (m_config.input.live && !item->text.empty()) {
      m_out->send("conversation.item.input_audio_transcription.updated",
                  {{"item_id", item_id}, {"transcript", item->text}});
    }
    // The event may be repeated, each time with the whole text: here first the words, then the
    // sentence.
    if (!item->text.empty()) tell(item->text, "in_progress");
    tell(as_sentence(item->text), heard ? "completed" : "failed");
    save();
  }
  if (!heard) {
    m_out->complain({"transcription_failed", heard.error().message, "", "internal_error"});
  }
  if (m_hearings > 0) return;
  if (m_response && !m_composed) return compose();
  if (m_due && !m_response) start_response(*std::exchange(m_due, std::nullopt));
}

// --- keys ------------------------------------------------------------------------------------

void RealtimeSession::press_key(char key) {
  m_out->send("input_audio_buffer.dtmf_event_received",
              {{"event", std::string(1, key)}, {"received_at", m_call.state->now_ms() / 1000}});
  m_keys += key;
  m_peer->cancel_timer(m_keys_timer);
  if (key == '#') return flush_keys(true);
  m_keys_timer = m_peer->start_timer(m_timing.keys, [this] { flush_keys(true); });
}

void RealtimeSession::flush_keys(bool answer) {
  if (m_keys.empty()) return;
  m_peer->cancel_timer(m_keys_timer);
  Item item{.id = make_id("item_"), .role = "user"};
  item.text = fmt::format("DTMF: {}", std::exchange(m_keys, {}));
  add_item(std::move(item));
  if (answer) answer_when_free();
}

// --- silence ---------------------------------------------------------------------------------

// Counts from the end of the audible answer, which may be long after it was sent.
void RealtimeSession::start_idle_timer() {
  stop_idle_timer();
  if (!m_config.turns.server || !m_config.turns.idle_ms || !m_turn_item.empty()) return;
  std::int64_t wait = *m_config.turns.idle_ms;
  const std::int64_t played = m_call.state->now_ms() - m_audio_begin_ms;
  if (m_response) wait += std::max<std::int64_t>(0, m_response->audio_ms() - played);
  m_idle_timer = m_peer->start_timer(std::chrono::milliseconds(wait),
                                     [this, begin = m_input.position_ms()] { on_idle(begin); });
}

void RealtimeSession::stop_idle_timer() {
  m_peer->cancel_timer(m_idle_timer);
}

void RealtimeSession::on_idle(std::int64_t begin_ms) {
  if (is_busy()) return;
  const std::string item_id = make_id("item_");
  m_out->send("input_audio_buffer.timeout_triggered",
              {{"item_id", item_id},
               {"previous_item_id", text::or_null(m_items.last_id())},
               {"audio_start_ms", begin_ms},
               {"audio_end_ms", m_input.position_ms()}});
  commit_item(item_id);
  start_response({.speaks = m_config.speaks, .check_in = true});
}

// The answers of a realtime session, and their cost.

void RealtimeSession::answer_when_free() {
  ResponseWish wish{.speaks = m_config.speaks};
  if (m_response || m_hearings > 0) {
    m_due = std::move(wish);
  } else {
    start_response(std::move(wish));
  }
}

void RealtimeSession::start_response(ResponseWish wish) {
  stop_idle_timer();
  m_due.reset();
  m_composed = false;
  m_response = std::make_unique<Response>(*m_out, m_items, std::move(wish), m_config.output,
                                          !m_phone, count_input(m_config, m_items));
  m_response->begin();
  if (const auto refusal = refuse_spent(*m_call.state, m_call.key.team_id)) {
    m_response->fail(text::text_of(text::parse_json(refusal->body), "error"));
    return finish_response();
  }
  if (m_hearings == 0) compose();
}

// Determines the answer, and starts its speech synthesis.
void RealtimeSession::compose() {
  m_composed = true;
  const ResponseWish& wish = m_response->wish();
  Thought thought;
  if (!wish.forced.empty()) {
    thought.text = wish.forced;
  } else if (wish.check_in) {
    thought.text = k_check_in;
  } else {
    thought = think(m_call, m_config, m_items,
                    wish.instructions.empty() ? m_config.instructions : wish.instructions);
  }
  if (!thought.failure.empty()) {
    m_response->fail(thought.failure);
    return finish_response();
  }
  if (!thought.calls.empty() || !wish.speaks) {
    m_response->plan(thought, {});
    return pump();
  }
  speech::Speech order{.text = thought.text,
                       .voice = wish.voice.empty() ? m_config.voice : wish.voice,
                       .speed = m_config.output.speed,
                       .rate = m_config.output.format.rate,
                       .normalize = true};
  for (const auto& [phrase, said] : m_config.replace) order.replace[to_lower(phrase)] = said;
  m_peer->run_apart([self = shared_from_this(), peer = m_peer, id = m_response->id(), thought,
                     order = std::move(order)] {
    auto audio = std::make_shared<Result<SpokenAudio>>(self->m_speech->speak(order));
    peer->post([self, id, thought, audio] { self->on_spoken(id, thought, std::move(*audio)); });
  });
}

void RealtimeSession::on_spoken(const std::string& response_id, const Thought& thought,
                                Result<SpokenAudio> audio) {
  if (!m_response || m_response->id() != response_id) return;  // it was cancelled
  if (!audio) {
    m_response->fail(audio.error().message);
    return finish_response();
  }
  m_audio_begin_ms = m_call.state->now_ms();
  m_response->plan(thought, std::move(*audio));
  pump();
}

void RealtimeSession::pump() {
  if (!m_response) return;
  if (m_peer->unsent() > k_most_waiting) {
    m_stalled = true;
    return;
  }
  if (m_response->step() == Response::Step::Done) return finish_response();
  m_pump_timer = m_peer->start_timer(m_timing.pace, [this] { pump(); });
}

void RealtimeSession::cancel_response(sv reason) {
  m_peer->cancel_timer(m_pump_timer);
  m_stalled = false;
  m_response->cancel(reason);
  finish_response();
}

void RealtimeSession::finish_response() {
  m_output_ms += m_response->audio_ms();
  std::vector<Charge> charges = {
      charge_for(k_session_input_token, m_response->input_tokens(), m_config.model),
      charge_for(k_session_output_token, m_response->output_tokens(), m_config.model)};
  std::erase_if(charges, [](const Charge& charge) { return charge.units == 0; });
  (void)book_charges(*m_call.state, m_call.key.team_id, charges);
  book();
  start_idle_timer();
  m_response = nullptr;
  save();
  if (m_due && m_hearings == 0) start_response(*std::exchange(m_due, std::nullopt));
}

// Charges whole seconds of audio; the remainder is carried over.
void RealtimeSession::book() {
  std::vector<Charge> charges;
  const auto add = [&](std::int64_t& ms, const VoicePrice& price) {
    if (ms >= 1000) charges.push_back(charge_for(price, ms / 1000, m_config.model));
    ms %= 1000;
  };
  add(m_input_ms, k_session_input_second);
  add(m_output_ms, k_session_output_second);
  (void)book_charges(*m_call.state, m_call.key.team_id, charges);
}

}  // namespace svc::emulator::realtime
