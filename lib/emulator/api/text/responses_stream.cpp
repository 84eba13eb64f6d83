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
class Script {
 public:
  void once(std::string type, Json members) {
    m_runs.push_back(Run{[number = m_number, type = std::move(type), members = std::move(members)](
                             sv, bool) { return event((*number)++, type, members); }});
  }

  // One event per chunk of the text, with the chunk in `delta`.
  void deltas(std::string type, const Json& place, std::string text) {
    m_runs.push_back(Run{[number = m_number, type = std::move(type), place](sv piece, bool) {
                           Json members = place;
                           members["delta"] = piece;
                           return event((*number)++, type, members);
                         },
                         std::move(text), false});
  }

  [[nodiscard]] std::vector<Run> take() { return std::move(m_runs); }

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
Json begun(Json item) {
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

void tell_text_part(Script& script, const Json& place, const Json& part) {
  const std::string text = text_of(part, "text");
  Json empty = part;
  empty["text"] = "";
  empty["annotations"] = Json::array();
  empty["logprobs"] = Json::array();
  script.once("response.content_part.added", with(place, "part", empty));
  script.deltas("response.output_text.delta", place, text);
  const Json& annotations = part["annotations"];
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    Json members = with(place, "annotation_index", i);
    script.once("response.output_text.annotation.added",
                with(std::move(members), "annotation", annotations[i]));
  }
  script.once("response.output_text.done", with(place, "text", text));
  script.once("response.content_part.done", with(place, "part", part));
}

void tell_refusal_part(Script& script, const Json& place, const Json& part) {
  const std::string text = text_of(part, "refusal");
  script.once("response.content_part.added",
              with(place, "part", Json{{"type", "refusal"}, {"refusal", ""}}));
  script.deltas("response.refusal.delta", place, text);
  script.once("response.refusal.done", with(place, "refusal", text));
  script.once("response.content_part.done", with(place, "part", part));
}

void tell_message(Script& script, const Json& place, const Json& item) {
  const Json& content = item["content"];
  for (std::size_t i = 0; i < content.size(); ++i) {
    const Json here = with(place, "content_index", i);
    if (text_of(content[i], "type") == "refusal") {
      tell_refusal_part(script, here, content[i]);
    } else {
      tell_text_part(script, here, content[i]);
    }
  }
}

void tell_reasoning(Script& script, const Json& place, const Json& item) {
  const Json& summary = item["summary"];
  for (std::size_t i = 0; i < summary.size(); ++i) {
    const Json here = with(place, "summary_index", i);
    const std::string text = text_of(summary[i], "text");
    const Json empty = {{"type", "summary_text"}, {"text", ""}};
    script.once("response.reasoning_summary_part.added", with(here, "part", empty));
    script.deltas("response.reasoning_summary_text.delta", here, text);
    script.once("response.reasoning_summary_text.done", with(here, "text", text));
    script.once("response.reasoning_summary_part.done", with(here, "part", summary[i]));
  }
}

// A text that arrives as a whole: one delta, then done.
void tell_whole(Script& script, const Json& place, const std::string& event, sv name,
                const std::string& text) {
  script.once(event + ".delta", with(place, "delta", text));
  script.once(event + ".done", with(place, name, text));
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

void tell_server_call(Script& script, const Json& place, const Json& item, const CallKind& kind) {
  const std::string prefix = "response." + std::string(kind.type) + ".";
  script.once(prefix + "in_progress", place);
  if (!kind.event.empty()) {
    tell_whole(script, place, std::string(kind.event), kind.member, text_of(item, kind.member));
  }
  script.once(prefix + std::string(kind.working), place);
  if (kind.type == "mcp_call") {
    tell_whole(script, place, "response.mcp_call_output", "output", text_of(item, "output"));
  }
  script.once(prefix + "completed", place);
}

void tell_inside(Script& script, const Json& place, const Json& item) {
  const std::string type = text_of(item, "type");
  if (type == "message") tell_message(script, place, item);
  if (type == "reasoning") tell_reasoning(script, place, item);
  if (type == "function_call") {
    const std::string arguments = text_of(item, "arguments");
    script.once("response.function_call_arguments.delta", with(place, "delta", arguments));
    const Json named = with(place, "name", text_of(item, "name"));
    script.once("response.function_call_arguments.done", with(named, "arguments", arguments));
  }
  if (type == "custom_tool_call") {
    tell_whole(script, place, "response.custom_tool_call_input", "input", text_of(item, "input"));
  }
  for (const CallKind& kind : k_call_kinds) {
    if (kind.type == type) tell_server_call(script, place, item, kind);
  }
}

void tell_item(Script& script, std::size_t index, const Json& item) {
  const Json place = {{"item_id", item["id"]}, {"output_index", index}};
  script.once("response.output_item.added", {{"output_index", index}, {"item", begun(item)}});
  tell_inside(script, place, item);
  script.once("response.output_item.done", {{"output_index", index}, {"item", item}});
}

}  // namespace

Answer stream_response(const Json& response, std::chrono::milliseconds delay) {
  Json start = response;
  start["status"] = "in_progress";
  start["output"] = Json::array();
  for (const sv name : {sv("completed_at"), sv("error"), sv("incomplete_details"), sv("usage")}) {
    start[std::string(name)] = nullptr;
  }
  Script script;
  script.once("response.created", {{"response", start}});
  script.once("response.in_progress", {{"response", start}});
  const Json& output = response["output"];
  for (std::size_t i = 0; i < output.size(); ++i) tell_item(script, i, output[i]);
  script.once("response." + text_of(response, "status"), {{"response", response}});
  Feed feed;
  feed.lanes.push_back(script.take());
  feed.delay = delay;
  return stream(std::move(feed));
}

}  // namespace svc::emulator::text
