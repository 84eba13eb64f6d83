// A response as server-sent events, all derived from the finished response: each output item is
// split into the events that would have built it.
#include <array>
#include <memory>

#include <nlohmann/json.hpp>

#include "emulator/api/text/responses.h"
#include "emulator/handler/feed.h"

namespace svc::emulator::text {
namespace {

// Collects the runs of one stream, whose events are numbered in sending order.
class EventBuilder {
 public:
  void once(std::string type, Json members) {
    m_runs.push_back(Run{[number = m_number, type = std::move(type), members = std::move(members)](
                             sv, bool) { return event((*number)++, type, members); }});
  }

  // One event per chunk of the text, with the chunk in `delta`.
  void deltas(std::string type, const Json& fields, std::string text, std::vector<Cut> ends = {}) {
    m_runs.push_back(Run{[number = m_number, type = std::move(type), fields](sv chunk, bool) {
                           Json members = fields;
                           members["delta"] = chunk;
                           return event((*number)++, type, members);
                         },
                         std::move(text),
                         false,
                         {},
                         std::move(ends)});
  }

  [[nodiscard]] std::vector<Run> take() { return std::move(m_runs); }

  std::vector<Cut> cuts{};  ///< of the message's text

 private:
  static std::string event(std::int64_t number, const std::string& type, const Json& members) {
    Json event = {{"type", type}, {"sequence_number", number}};
    event.update(members);
    return dump(event);
  }

  std::shared_ptr<std::int64_t> m_number = std::make_shared<std::int64_t>(0);  ///< the next one's
  std::vector<Run> m_runs{};
};

Json with(Json object, sv name, Json value) {
  object[std::string(name)] = std::move(value);
  return object;
}

// Returns the item in its initial state.
Json started(Json item) {
  item["status"] = "in_progress";
  for (const sv name : {sv("content"), sv("summary")}) {
    if (item.contains(std::string(name))) item[std::string(name)] = Json::array();
  }
  for (const sv name : {sv("arguments"), sv("input"), sv("code")}) {
    if (item.contains(std::string(name))) item[std::string(name)] = "";
  }
  for (const sv name :
       {sv("output"), sv("outputs"), sv("results"), sv("result"), sv("encrypted_content")}) {
    item.erase(std::string(name));
  }
  return item;
}

void emit_text_part(EventBuilder& builder, const Json& fields, const Json& part) {
  const std::string text = get_string(part, "text");
  Json empty = part;
  empty["text"] = "";
  empty["annotations"] = Json::array();
  empty["logprobs"] = Json::array();
  builder.once("response.content_part.added", with(fields, "part", empty));
  builder.deltas("response.output_text.delta", fields, text, builder.cuts);
  const Json& annotations = part["annotations"];
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    Json members = with(fields, "annotation_index", i);
    builder.once("response.output_text.annotation.added",
                 with(std::move(members), "annotation", annotations[i]));
  }
  builder.once("response.output_text.done", with(fields, "text", text));
  builder.once("response.content_part.done", with(fields, "part", part));
}

void emit_refusal_part(EventBuilder& builder, const Json& fields, const Json& part) {
  const std::string text = get_string(part, "refusal");
  builder.once("response.content_part.added",
               with(fields, "part", Json{{"type", "refusal"}, {"refusal", ""}}));
  builder.deltas("response.refusal.delta", fields, text);
  builder.once("response.refusal.done", with(fields, "refusal", text));
  builder.once("response.content_part.done", with(fields, "part", part));
}

void emit_message(EventBuilder& builder, const Json& fields, const Json& item) {
  const Json& content = item["content"];
  for (std::size_t i = 0; i < content.size(); ++i) {
    const Json here = with(fields, "content_index", i);
    if (get_string(content[i], "type") == "refusal") {
      emit_refusal_part(builder, here, content[i]);
    } else {
      emit_text_part(builder, here, content[i]);
    }
  }
}

void emit_reasoning(EventBuilder& builder, const Json& fields, const Json& item) {
  const Json& summary = item["summary"];
  for (std::size_t i = 0; i < summary.size(); ++i) {
    const Json here = with(fields, "summary_index", i);
    const std::string text = get_string(summary[i], "text");
    const Json empty = {{"type", "summary_text"}, {"text", ""}};
    builder.once("response.reasoning_summary_part.added", with(here, "part", empty));
    builder.deltas("response.reasoning_summary_text.delta", here, text);
    builder.once("response.reasoning_summary_text.done", with(here, "text", text));
    builder.once("response.reasoning_summary_part.done", with(here, "part", summary[i]));
  }
}

// A text that arrives as a whole: one delta, then done.
void emit_text(EventBuilder& builder, const Json& fields, const std::string& event, sv name,
               const std::string& text) {
  builder.once(event + ".delta", with(fields, "delta", text));
  builder.once(event + ".done", with(fields, name, text));
}

struct CallKind {
  sv type;      // of the item
  sv working;   // the event between in_progress and completed
  sv event{};   // the events of the call's text
  sv member{};  // the field with that text
};
constexpr std::array k_call_kinds = {
    CallKind{"web_search_call", "searching"},
    CallKind{"file_search_call", "searching"},
    CallKind{"code_interpreter_call", "interpreting", "response.code_interpreter_call_code",
             "code"},
    CallKind{"mcp_call", "executing", "response.mcp_call_arguments", "arguments"},
    CallKind{"image_generation_call", "generating"},
};

void emit_server_call(EventBuilder& builder, const Json& fields, const Json& item,
                      const CallKind& kind) {
  const std::string prefix = "response." + std::string(kind.type) + ".";
  builder.once(prefix + "in_progress", fields);
  if (!kind.event.empty()) {
    emit_text(builder, fields, std::string(kind.event), kind.member, get_string(item, kind.member));
  }
  builder.once(prefix + std::string(kind.working), fields);
  if (kind.type == "mcp_call") {
    emit_text(builder, fields, "response.mcp_call_output", "output", get_string(item, "output"));
  }
  builder.once(prefix + "completed", fields);
}

void emit_content(EventBuilder& builder, const Json& fields, const Json& item) {
  const std::string type = get_string(item, "type");
  if (type == "message") emit_message(builder, fields, item);
  if (type == "reasoning") emit_reasoning(builder, fields, item);
  if (type == "function_call") {
    const std::string arguments = get_string(item, "arguments");
    builder.once("response.function_call_arguments.delta", with(fields, "delta", arguments));
    const Json named = with(fields, "name", get_string(item, "name"));
    builder.once("response.function_call_arguments.done", with(named, "arguments", arguments));
  }
  if (type == "custom_tool_call") {
    emit_text(builder, fields, "response.custom_tool_call_input", "input",
              get_string(item, "input"));
  }
  for (const CallKind& kind : k_call_kinds) {
    if (kind.type == type) emit_server_call(builder, fields, item, kind);
  }
}

void emit_item(EventBuilder& builder, std::size_t index, const Json& item) {
  const Json fields = {{"item_id", item["id"]}, {"output_index", index}};
  builder.once("response.output_item.added", {{"output_index", index}, {"item", started(item)}});
  emit_content(builder, fields, item);
  builder.once("response.output_item.done", {{"output_index", index}, {"item", item}});
}

}  // namespace

Response stream_response(const Json& response, std::chrono::milliseconds delay,
                         const std::vector<Cut>& cuts) {
  Json start = response;
  start["status"] = "in_progress";
  start["output"] = Json::array();
  for (const sv name : {sv("completed_at"), sv("error"), sv("incomplete_details"), sv("usage")}) {
    start[std::string(name)] = nullptr;
  }
  EventBuilder builder;
  builder.cuts = cuts;
  builder.once("response.created", {{"response", start}});
  builder.once("response.in_progress", {{"response", start}});
  const Json& output = response["output"];
  for (std::size_t i = 0; i < output.size(); ++i) emit_item(builder, i, output[i]);
  builder.once("response." + get_string(response, "status"), {{"response", response}});
  Feed feed;
  feed.lanes.push_back(builder.take());
  feed.delay = delay;
  return stream(std::move(feed));
}

}  // namespace svc::emulator::text
