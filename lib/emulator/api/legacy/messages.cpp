// POST /v1/messages: the answer as one message.
#include <chrono>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/api/legacy/handlers.h"
#include "emulator/api/text/chat.h"
#include "emulator/api/text/items.h"
#include "emulator/handler/feed.h"
#include "emulator/handler/handler.h"
#include "emulator/json/json.h"
#include "emulator/model/answer.h"
#include "emulator/model/rules.h"
#include "emulator/state/seal.h"

namespace svc::emulator::legacy {
namespace {

using namespace svc::emulator::text;

std::string image_address(const Json& part) {
  const Json& source = part["source"];
  if (text_of(source, "type") == "url") return text_of(source, "url");
  return fmt::format("data:{};base64,{}", text_of(source, "media_type"), text_of(source, "data"));
}

std::optional<Answer> content_fault(const Json& content) {
  if (!content.is_array()) return std::nullopt;
  for (const Json& part : content) {
    const std::string type = text_of(part, "type");
    if (type == "image") {
      if (auto fault = image_fault(image_address(part))) return fault;
    }
    const Json* inner = member(part, "content");
    if (type == "tool_result" && inner != nullptr) {
      if (auto fault = content_fault(*inner)) return fault;
    }
  }
  return std::nullopt;
}

Turn plain_turn(const std::string& role, const Json& content) {
  Turn turn{.role = role};
  if (content.is_string()) turn.text = content.get<std::string>();
  if (!content.is_array()) return turn;
  for (const Json& part : content) {
    const std::string type = text_of(part, "type");
    if (type == "image") ++turn.images;
    if (type == "text") add_text(turn, text_of(part, "text"));
  }
  return turn;
}

void add_tool_result(const Json& part, Conversation& into) {
  Turn turn = plain_turn("tool", copy_of(part, "content"));
  turn.name = into.called[text_of(part, "tool_use_id")];
  if (flag_of(part, "is_error", false)) turn.text = "error: " + turn.text;
  into.turns.push_back(std::move(turn));
}

// Tool results are separate turns.
void add_message(const Json& message, Conversation& into) {
  const Json& content = message["content"];
  Turn turn = plain_turn(text_of(message, "role"), content);
  if (content.is_array()) {
    for (const Json& part : content) {
      const std::string type = text_of(part, "type");
      if (type == "tool_result") add_tool_result(part, into);
      if (type != "tool_use") continue;
      into.called[text_of(part, "id")] = text_of(part, "name");
      turn.text += text_of(part, "name") + " " + dump(part["input"]);
    }
    const bool only_results = turn.text.empty() && turn.images == 0;
    if (only_results) return;
  }
  into.turns.push_back(std::move(turn));
}

void read_tools(const Json& body, Ask& ask) {
  add_tool_definitions(body, ask, [&](const Json& tool) {
    ask.functions.push_back({text_of(tool, "name"), member(tool, "input_schema")});
  });
  ask.choose = ask.functions.empty() ? Choose::None : Choose::Auto;
  const Json* choice = member(body, "tool_choice");
  if (choice == nullptr) return;
  const std::string type = text_of(*choice, "type");
  if (type == "any") ask.choose = Choose::Required;
  if (type == "none") ask.choose = Choose::None;
  if (type == "tool") {
    ask.choose = Choose::Named;
    ask.chosen = text_of(*choice, "name");
  }
}

// Checks the values of a request whose types are valid; returns an error message.
std::optional<Answer> messages_fault(const Json& body, const Model& model) {
  if (body["messages"].empty()) return refuse(400, "400", "Bad data: Messages cannot be empty");
  if (integer_of(body, "max_tokens") == 0) return refuse_argument("max_tokens must be at least 1.");
  if (const auto fault = common_fault(body)) return refuse_argument(*fault);
  if (const auto fault = stop_fault(body, model, "stop_sequences")) return refuse_argument(*fault);
  for (const Json& message : body["messages"]) {
    if (auto fault = content_fault(message["content"])) return fault;
  }
  return std::nullopt;
}

// Returns the model's input for the request; it points into `body`.
Ask read_messages(const Json& body, const Model& model) {
  Conversation conversation;
  if (const Json* system = member(body, "system")) {
    conversation.turns.push_back(plain_turn("system", *system));
  }
  for (const Json& message : body["messages"]) add_message(message, conversation);
  Ask ask{.model = &model, .turns = std::move(conversation.turns)};
  read_tools(body, ask);
  ask.max_tokens = integer_of(body, "max_tokens").value_or(k_default_max_tokens);
  return ask;
}

// A message as named events.

Run named(Json event) {
  std::string name = text_of(event, "type");
  return single(dump(event), std::move(name));
}

Json delta_event(std::size_t index, const char* type, const char* member_name, sv piece) {
  return {{"type", "content_block_delta"},
          {"index", index},
          {"delta", {{"type", type}, {member_name, piece}}}};
}

// One event for each chunk of `text`.
Run deltas(std::size_t index, const char* type, const char* member_name, std::string text) {
  return {[=](sv piece, bool) { return dump(delta_event(index, type, member_name, piece)); },
          std::move(text), false, "content_block_delta"};
}

void add_block(std::vector<Run>& runs, std::size_t index, const Json& block) {
  const std::string type = text_of(block, "type");
  Json start = block;
  if (type == "text") start["text"] = "";
  if (type == "thinking") start = {{"type", "thinking"}, {"thinking", ""}, {"signature", ""}};
  if (type == "tool_use") start["input"] = Json::object();
  runs.push_back(
      named({{"type", "content_block_start"}, {"index", index}, {"content_block", start}}));
  if (type == "text") runs.push_back(deltas(index, "text_delta", "text", text_of(block, "text")));
  if (type == "thinking") {
    runs.push_back(deltas(index, "thinking_delta", "thinking", text_of(block, "thinking")));
    runs.push_back(
        named(delta_event(index, "signature_delta", "signature", text_of(block, "signature"))));
  }
  if (type == "tool_use") {
    runs.push_back(deltas(index, "input_json_delta", "partial_json", dump(block["input"])));
  }
  runs.push_back(named({{"type", "content_block_stop"}, {"index", index}}));
}

// Converts a complete response to named events, which end with `failure` if there is one.
Answer stream_message(const Json& whole, const std::string& failure,
                      std::chrono::milliseconds delay) {
  Feed feed;
  feed.delay = delay;
  feed.done_mark = false;
  std::vector<Run> runs;
  Json begun = whole;
  begun["content"] = Json::array();
  begun["stop_reason"] = nullptr;
  begun["stop_sequence"] = nullptr;
  begun["usage"]["output_tokens"] = 0;
  runs.push_back(named({{"type", "message_start"}, {"message", begun}}));
  runs.push_back(named({{"type", "ping"}}));
  for (std::size_t i = 0; i < whole["content"].size(); ++i) add_block(runs, i, whole["content"][i]);
  if (!failure.empty()) {
    runs.push_back(
        named({{"type", "error"}, {"error", {{"type", "api_error"}, {"message", failure}}}}));
  } else {
    runs.push_back(
        named({{"type", "message_delta"},
               {"delta",
                {{"stop_reason", whole["stop_reason"]}, {"stop_sequence", whole["stop_sequence"]}}},
               {"usage", {{"output_tokens", whole["usage"]["output_tokens"]}}}}));
    runs.push_back(named({{"type", "message_stop"}}));
  }
  feed.lanes.push_back(std::move(runs));
  return stream(std::move(feed));
}

const char* stop_reason(const Said& said, bool at_stop) {
  if (at_stop) return "stop_sequence";
  if (said.finish == Finish::Length) return "max_tokens";
  return said.finish == Finish::ToolCalls ? "tool_use" : "end_turn";
}

Json content_of(const Said& said, const std::string& id) {
  Json content = Json::array();
  if (!said.reasoning.empty()) {
    content.push_back(
        {{"type", "thinking"}, {"thinking", said.reasoning}, {"signature", seal("thinking", id)}});
  }
  const std::string& text = said.refusal.empty() ? said.text : said.refusal;
  if (!text.empty()) content.push_back({{"type", "text"}, {"text", text}});
  for (std::size_t i = 0; i < said.calls.size(); ++i) {
    content.push_back({{"type", "tool_use"},
                       {"id", fmt::format("toolu_{}_{}", id, i)},
                       {"name", said.calls[i].name},
                       {"input", parse_json(said.calls[i].arguments)}});
  }
  return content;
}

Json message_of(const Call& call, const Ask& ask, const Said& said,
                const std::optional<std::string>& stop) {
  const PromptTokens prompt = count_prompt(ask);
  return {{"id", "msg_" + call.request_id},
          {"type", "message"},
          {"role", "assistant"},
          {"model", ask.model->name},
          {"content", content_of(said, call.request_id)},
          {"stop_reason", stop_reason(said, stop.has_value())},
          {"stop_sequence", or_null(stop)},
          {"usage",
           {{"input_tokens", prompt.text + prompt.images},
            {"output_tokens", said.text_tokens + said.reasoning_tokens},
            {"cache_read_input_tokens", 0},
            {"cache_creation_input_tokens", 0}}}};
}

}  // namespace

Answer messages(const Call& call) {
  SVC_TRY(body, read_body(call, request_types()["messages"]));
  SVC_TRY(model, pick_model(call, body));
  if (auto refusal = messages_fault(body, *model)) return *refusal;
  Ask ask = read_messages(body, *model);
  if (const auto fault = choice_fault(ask, false)) return refuse_argument(*fault);
  if (const auto fault = prompt_fault(ask)) return refuse_argument(*fault);
  if (auto given = take_given(call, "messages", body, ask)) return *std::move(given);
  auto said = say(ask, 0, 1);
  if (!said) return refuse_argument(said.error().message);
  const auto stop = cut_at_stop(body, *said);
  const Json message = message_of(call, ask, *said, stop);
  Answer answer;
  if (flag_of(body, "stream", false)) {
    answer = stream_message(message, said->failure, piece_delay(call, k_piece_delay));
  } else if (!said->failure.empty()) {
    return refuse_unavailable(said->failure);
  } else {
    answer.body = dump(message);
  }
  bill(ask, *said, answer);
  return answer;
}

}  // namespace svc::emulator::legacy
