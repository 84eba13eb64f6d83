#include "voice/conversation.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/text.h"
#include "json/document.h"
#include "voice/event_json.h"

namespace svc::voice {
namespace {

using nlohmann::json;
using Kind = TalkEvent::Kind;

bool is_one_of(std::string_view type, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), type) != names.end();
}

/// The text of an item's content, all parts joined.
std::string content_text(const json& item) {
  std::string text;
  const json& content = member(item, "content");
  if (!content.is_array()) return text;
  for (const json& part : content) {
    std::string piece = text_member(part, "text");
    if (piece.empty()) piece = text_member(part, "transcript");
    if (!piece.empty()) text += (text.empty() ? "" : " ") + piece;
  }
  return text;
}

/// Why a response failed; "" if it completed or was canceled, which is not a failure.
std::string failure_of(const json& response) {
  const std::string status = text_member(response, "status");
  if (status != "failed" && status != "incomplete") return {};
  const json& details = member(response, "status_details");
  std::string why = text_member(member(details, "error"), "message");
  for (const json* holder : {&details, &response}) {
    for (const char* name : {"message", "reason", "error"}) {
      if (why.empty()) why = text_member(*holder, name);
    }
  }
  return why.empty() ? status : status + ": " + why;
}

/// Whether a session has no turn detection.
bool is_manual(const json& session) {
  const auto found = session.is_object() ? session.find("turn_detection") : session.end();
  if (!session.is_object() || found == session.end()) return false;
  return found->is_null() ||
         (found->is_object() && found->contains("type") && member(*found, "type").is_null());
}

std::int64_t whole(const json& holder, const char* name) {
  const json& value = member(holder, name);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

}  // namespace

/// Processes one message.
struct SpokenConversation::Reader {
  SpokenConversation& talk;
  const json& event;
  std::string type;
  std::vector<Event> out{};

  std::string field(const char* name) const { return text_member(event, name); }
  std::int64_t position_ms(const char* name) const {
    const double ms = number_of(event, name).value_or(-1);
    return ms >= 0 && ms < 1e12 ? static_cast<std::int64_t>(ms) : -1;
  }
  int content() const { return count_of(event, "content_index").value_or(0); }
  Event& add(Kind kind) { return out.emplace_back(Event{.kind = kind, .item = field("item_id")}); }

  void read() {
    note_item();
    session();
    input();
    if (type == "response.created") response_created();
    if (type == "response.done") response_done();
    answer_text();
    audio();
    tools();
    if (type == "conversation.item.added") conversation_item(false);
    if (type == "conversation.item.created") conversation_item(true);
    if (type == "conversation.item.truncated") truncated();
    if (type == "error") error();
  }

  void error() {
    Event& failure = add(Kind::Error);
    failure.text = error_message_of(event);
    const json& body = member(event, "error");
    failure.name = text_member(body, "type");
    // An error about a message or one of its fields does not end the session.
    failure.ends = !is_one_of(failure.name, {"invalid_request_error", "invalid_event"}) &&
                   text_member(body, "param").empty() && text_member(body, "event_id").empty() &&
                   !text_member(body, "code").starts_with("item_");
  }

  /// Records items mentioned by their own events or in other events.
  void note_item() {
    std::string id = text_member(member(event, "item"), "id");
    if (id.empty() && type.starts_with("response.")) id = field("item_id");
    // An item that an earlier connection sent only in part is incomplete here as well.
    const auto known = talk.m_items.find(id);
    const bool part =
        type == "conversation.item.created" && known != talk.m_items.end() && !known->second.whole;
    if (!id.empty() && !part) talk.m_connection_items.insert(std::move(id));
  }

  void session() {
    if (type == "session.created") {
      add(Kind::Connected).id = talk.m_id;
    } else if (type == "conversation.created") {
      const std::string id = text_member(member(event, "conversation"), "id");
      if (!id.empty()) talk.m_id = id;
      add(Kind::Connected).id = talk.m_id;
    } else if (type == "session.updated") {
      talk.m_configured = true;
      add(Kind::Configured).manual = is_manual(member(event, "session"));
    }
  }

  /// Events about the user's input.
  void input() {
    if (type == "input_audio_buffer.speech_started") {
      add(Kind::SpeechStarted).at_ms = position_ms("audio_start_ms");
    } else if (type == "input_audio_buffer.speech_stopped") {
      add(Kind::SpeechStopped).at_ms = position_ms("audio_end_ms");
    } else if (type == "input_audio_buffer.committed") {
      add(Kind::Committed);
    } else if (type == "input_audio_buffer.timeout_triggered") {
      add(Kind::IdleTimeout);
    } else if (type == "input_audio_buffer.dtmf_event_received") {
      add(Kind::Digit).text = field("event");
    } else if (type == "conversation.item.input_audio_transcription.completed" ||
               type == "conversation.item.input_audio_transcription.updated") {
      // Each contains the whole text and may be repeated, so it replaces the previous one.
      const bool final = type.ends_with("completed");
      text(Kind::UserText, field("item_id"), field("transcript"), final,
           !final || field("status") == "in_progress");
    }
  }

  void text(Kind kind, const std::string& id, std::string full_text, bool final,
            bool more = false) {
    Item& item = talk.item(id);
    if (item.final && !final) return;
    if (item.text == full_text && item.final == final && (more || !item.more)) return;
    item.text = std::move(full_text);
    item.final = final;
    item.more = more;
    out.push_back({.kind = kind, .item = id, .text = item.text, .final = final, .more = more});
  }

  void conversation_item(bool replayed) {
    const json& item = member(event, "item");
    const std::string id = text_member(item, "id");
    const std::string words = content_text(item);
    note_function(item);
    if (words.empty() || text_member(item, "type") != "message") return;
    const std::string role = text_member(item, "role");
    if (role != "user" && role != "assistant") return;
    // Text of the current answer arrives as deltas instead.
    if (role == "assistant" && !replayed) return;
    const auto known = talk.m_items.find(id);
    const bool has_text = known != talk.m_items.end() && !known->second.text.empty();
    // An answer that an earlier connection sent in part may be whole at the service.
    const std::string status = text_member(item, "status");
    const bool completes = has_text && !known->second.final && role == "assistant" &&
                           (status.empty() || status == "completed");
    if (has_text && !completes) return;
    text(role == "user" ? Kind::UserText : Kind::AssistantText, id, words, true);
    if (!out.empty()) out.back().replayed = replayed;
  }

  void truncated() {
    if (const std::string words = field("transcript"); !words.empty()) {
      text(Kind::AssistantText, field("item_id"), words, true);
      if (!out.empty()) out.back().cut = true;
    }
  }

  void response_created() {
    const std::string id = text_member(member(event, "response"), "id");
    talk.m_active = id.empty() ? "response" : id;
    talk.m_mute_active = false;
    add(Kind::ResponseStarted).id = id;
  }

  void response_done() {
    const json& body = member(event, "response");
    const std::string id = text_member(body, "id");
    const std::string key = id.empty() ? "response" : id;
    // Some tool calls appear only in the completed response.
    if (const json& output = member(body, "output"); output.is_array()) {
      for (const json& item : output) function_item(item, key);
    }
    talk.m_done.insert(key);
    if (talk.m_active == key) talk.m_active.clear();
    const json& usage = member(body, "usage");
    talk.m_usage.input_tokens += whole(usage, "input_tokens");
    talk.m_usage.output_tokens += whole(usage, "output_tokens");
    talk.m_usage.ticks += whole(usage, "cost_in_usd_ticks");
    Event& done = add(Kind::ResponseDone);
    done.id = id;
    done.name = text_member(body, "status");
    done.text = failure_of(body);
    done.spoken = talk.m_spoken.contains(key);
  }

  std::string response_key() const {
    std::string id = field("response_id");
    if (!id.empty()) return id;
    return talk.m_active.empty() ? "response" : talk.m_active;
  }

  /// Text of an answer, spoken or written. The same text may arrive under several event types.
  void answer_text() {
    const bool delta = is_one_of(
        type, {"response.output_audio_transcript.delta", "response.audio_transcript.delta",
               "response.text.delta", "response.output_text.delta"});
    const bool done =
        is_one_of(type, {"response.output_audio_transcript.done", "response.audio_transcript.done",
                         "response.text.done", "response.output_text.done"});
    if (!delta && !done) return;
    const std::string id = field("item_id");
    // What begins after an interruption is not heard either.
    if (talk.m_mute_active && response_key() == talk.m_active && !talk.m_items.contains(id)) return;
    Item& item = talk.item(id);
    talk.m_spoken.insert(response_key());
    if (delta) {
      if (item.source.empty()) item.source = type;
      if (item.source == type) text(Kind::AssistantText, id, item.text + field("delta"), false);
      return;
    }
    std::string words = field("transcript");
    if (words.empty()) words = field("text");
    text(Kind::AssistantText, id, words.empty() ? item.text : words, true);
  }

  void audio() {
    if (is_one_of(type, {"response.output_audio.delta", "response.audio.delta"})) audio_delta();
    if (is_one_of(type, {"response.output_audio.done", "response.audio.done"})) {
      talk.item(field("item_id")).whole = true;
      add(Kind::AudioDone).content = content();
    }
  }

  void audio_delta() {
    const std::string id = field("item_id");
    talk.m_audio_item = id;
    const std::string response = response_key();
    talk.m_spoken.insert(response);
    if (talk.m_mute_active && response == talk.m_active) talk.item(id).muted = true;
    if (talk.item(id).muted) return;
    auto bytes = base64_decode(field("delta"));
    if (!bytes) {
      add(Kind::Error).text = "an audio chunk is not base64";
      return;
    }
    Event& chunk = add(Kind::Audio);
    chunk.content = content();
    chunk.text = *std::move(bytes);
  }

  void tools() {
    if (type == "response.function_call_arguments.done") {
      call(field("call_id"), field("name"), field("arguments"), field("item_id"), response_key());
    }
    if (type == "response.output_item.added" || type == "response.output_item.done") {
      const json& item = member(event, "item");
      note_function(item);
      if (type.ends_with("done")) function_item(item, response_key());
    }
    if (type.starts_with("mcp_list_tools.") || type.starts_with("response.mcp_call.") ||
        type == "response.mcp_call_arguments.done") {
      server_side_tool();
    }
  }

  void server_side_tool() {
    Event& activity = add(Kind::ToolActivity);
    activity.name = type;
    if (!type.ends_with("failed")) {
      activity.text = field("arguments");
    } else if (const json error = {{"error", member(event, "error")}}; !error["error"].is_null()) {
      activity.text = error_message_of(error);  // not the event's type
    } else {
      activity.text = field("message");
    }
  }

  void note_function(const json& item) {
    if (text_member(item, "type") != "function_call") return;
    const std::string name = text_member(item, "name");
    if (name.empty()) return;
    talk.m_names[text_member(item, "id")] = name;
    talk.m_names[text_member(item, "call_id")] = name;
  }

  /// A function call identified by its item.
  void function_item(const json& item, const std::string& response) {
    if (text_member(item, "type") != "function_call" || !member(item, "arguments").is_string()) {
      return;
    }
    if (text_member(item, "status") == "in_progress") return;
    call(text_member(item, "call_id"), text_member(item, "name"), text_member(item, "arguments"),
         text_member(item, "id"), response);
  }

  void call(const std::string& id, std::string name, const std::string& arguments,
            const std::string& item_id, const std::string& response_id) {
    if (name.empty() && talk.m_names.contains(id)) name = talk.m_names[id];
    if (name.empty() && talk.m_names.contains(item_id)) name = talk.m_names[item_id];
    if (id.empty() || !talk.m_known_calls.insert(id).second) return;
    talk.m_calls[id] = {.response = response_id};
    out.push_back({.kind = Kind::ToolCall,
                   .item = item_id,
                   .id = id,
                   .name = std::move(name),
                   .text = arguments});
  }
};

std::vector<TalkEvent> SpokenConversation::feed(std::string_view message) {
  const json event = read_event(message);
  if (event.is_null()) return {};
  Reader reader{*this, event, text_member(event, "type")};
  reader.read();
  return std::move(reader.out);
}

std::vector<TalkEvent> SpokenConversation::feed_bytes(std::string bytes) {
  if (m_mute_active || (!m_audio_item.empty() && item(m_audio_item).muted)) return {};
  return {{.kind = Kind::Audio, .item = m_audio_item, .text = std::move(bytes)}};
}

bool SpokenConversation::reconnect() {
  m_configured = false;
  m_connection_items.clear();
  m_calls.clear();
  m_mute_active = false;
  return !std::exchange(m_active, {}).empty();
}

void SpokenConversation::interrupt() {
  if (!m_audio_item.empty()) item(m_audio_item).muted = true;
  m_mute_active = !m_active.empty();
}

void SpokenConversation::answered(const std::string& call) {
  const auto found = m_calls.find(call);
  if (found != m_calls.end()) found->second.answered = true;
}

bool SpokenConversation::take_wants_response() {
  if (m_calls.empty() || responding()) return false;
  const bool all = std::all_of(m_calls.begin(), m_calls.end(), [this](const auto& call) {
    return call.second.answered && m_done.contains(call.second.response);
  });
  if (all) m_calls.clear();
  return all;
}

std::string append_message(std::string_view bytes) {
  std::string message = R"({"type":"input_audio_buffer.append","audio":")";
  message.reserve(message.size() + base64_length(bytes.size()) + 2);
  append_base64(message, bytes);
  return message + R"("})";
}

std::string plain_message(std::string_view type) {
  return compact_json(OrderedJson{{"type", type}});
}

std::string user_text_message(std::string_view text) {
  const nlohmann::ordered_json part = {{"type", "input_text"}, {"text", text}};
  return compact_json(OrderedJson{{"type", "conversation.item.create"},
                                  {"item",
                                   {{"type", "message"},
                                    {"role", "user"},
                                    {"content", nlohmann::ordered_json::array({part})}}}});
}

std::string truncate_message(const std::string& item, int content, std::int64_t ms) {
  return compact_json(OrderedJson{{"type", "conversation.item.truncate"},
                                  {"item_id", item},
                                  {"content_index", content},
                                  {"audio_end_ms", ms}});
}

std::string delete_message(const std::string& item) {
  return compact_json(OrderedJson{{"type", "conversation.item.delete"}, {"item_id", item}});
}

std::string output_message(const std::string& call, std::string_view output) {
  return compact_json(OrderedJson{
      {"type", "conversation.item.create"},
      {"item", {{"type", "function_call_output"}, {"call_id", call}, {"output", output}}}});
}

}  // namespace svc::voice
