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
  if (get_string(source, "type") == "url") return get_string(source, "url");
  return fmt::format("data:{};base64,{}", get_string(source, "media_type"),
                     get_string(source, "data"));
}

std::optional<Response> check_content(const Json& content) {
  if (!content.is_array()) return std::nullopt;
  for (const Json& part : content) {
    const std::string type = get_string(part, "type");
    if (type == "image") {
      if (auto fault = check_image(image_address(part))) return fault;
    }
    const Json* inner = member(part, "content");
    if (type == "tool_result" && inner != nullptr) {
      if (auto fault = check_content(*inner)) return fault;
    }
  }
  return std::nullopt;
}

Turn plain_turn(const std::string& role, const Json& content) {
  Turn turn{.role = role};
  if (content.is_string()) turn.text = content.get<std::string>();
  if (!content.is_array()) return turn;
  for (const Json& part : content) {
    const std::string type = get_string(part, "type");
    if (type == "image") ++turn.images;
    if (type == "text") add_text(turn, get_string(part, "text"));
  }
  return turn;
}

void add_tool_result(const Json& part, Conversation& into) {
  Turn turn = plain_turn("tool", copy_of(part, "content"));
  turn.name = into.called[get_string(part, "tool_use_id")];
  if (get_bool(part, "is_error", false)) turn.text = "error: " + turn.text;
  into.turns.push_back(std::move(turn));
}

// Tool results are separate turns.
void add_message(const Json& message, Conversation& into) {
  const Json& content = message["content"];
  Turn turn = plain_turn(get_string(message, "role"), content);
  if (content.is_array()) {
    for (const Json& part : content) {
      const std::string type = get_string(part, "type");
      if (type == "tool_result") add_tool_result(part, into);
      if (type != "tool_use") continue;
      into.called[get_string(part, "id")] = get_string(part, "name");
      turn.text += get_string(part, "name") + " " + dump(part["input"]);
    }
    const bool only_results = turn.text.empty() && turn.images == 0;
    if (only_results) return;
  }
  into.turns.push_back(std::move(turn));
}

void read_tools(const Json& body, ModelRequest& model_request) {
  add_tool_definitions(body, model_request, [&](const Json& tool) {
    model_request.functions.push_back({get_string(tool, "name"), member(tool, "input_schema")});
  });
  model_request.tool_choice = model_request.functions.empty() ? ToolChoice::None : ToolChoice::Auto;
  const Json* choice = member(body, "tool_choice");
  if (choice == nullptr) return;
  const std::string type = get_string(*choice, "type");
  if (type == "any") model_request.tool_choice = ToolChoice::Required;
  if (type == "none") model_request.tool_choice = ToolChoice::None;
  if (type == "tool") {
    model_request.tool_choice = ToolChoice::Named;
    model_request.chosen = get_string(*choice, "name");
  }
}

// Checks the values of a request whose types are valid; returns an error message.
std::optional<Response> check_messages(const Json& body, const Model& model) {
  if (body["messages"].empty())
    return error_response(400, "400", "Bad data: Messages cannot be empty");
  if (get_integer(body, "max_tokens") == 0)
    return invalid_argument_error("max_tokens must be at least 1.");
  if (const auto fault = check_common_fields(body)) return invalid_argument_error(*fault);
  if (const auto fault = check_stop(body, model, "stop_sequences"))
    return invalid_argument_error(*fault);
  for (const Json& message : body["messages"]) {
    if (auto fault = check_content(message["content"])) return fault;
  }
  return std::nullopt;
}

// Returns the model's input for the request; it points into `body`.
ModelRequest read_messages(const Json& body, const Model& model) {
  Conversation conversation;
  if (const Json* system = member(body, "system")) {
    conversation.turns.push_back(plain_turn("system", *system));
  }
  for (const Json& message : body["messages"]) add_message(message, conversation);
  ModelRequest model_request{.model = &model, .turns = std::move(conversation.turns)};
  read_tools(body, model_request);
  model_request.max_tokens = get_integer(body, "max_tokens").value_or(k_default_max_tokens);
  return model_request;
}

// A message as named events.

Run named(Json event) {
  std::string name = get_string(event, "type");
  return single(dump(event), std::move(name));
}

Json delta_event(std::size_t index, const char* type, const char* member_name, sv chunk) {
  return {{"type", "content_block_delta"},
          {"index", index},
          {"delta", {{"type", type}, {member_name, chunk}}}};
}

// One event for each chunk of `text`.
Run deltas(std::size_t index, const char* type, const char* member_name, std::string text) {
  return {[=](sv chunk, bool) { return dump(delta_event(index, type, member_name, chunk)); },
          std::move(text), false, "content_block_delta"};
}

void add_block(std::vector<Run>& runs, std::size_t index, const Json& block) {
  const std::string type = get_string(block, "type");
  Json start = block;
  if (type == "text") start["text"] = "";
  if (type == "thinking") start = {{"type", "thinking"}, {"thinking", ""}, {"signature", ""}};
  if (type == "tool_use") start["input"] = Json::object();
  runs.push_back(
      named({{"type", "content_block_start"}, {"index", index}, {"content_block", start}}));
  if (type == "text")
    runs.push_back(deltas(index, "text_delta", "text", get_string(block, "text")));
  if (type == "thinking") {
    runs.push_back(deltas(index, "thinking_delta", "thinking", get_string(block, "thinking")));
    runs.push_back(
        named(delta_event(index, "signature_delta", "signature", get_string(block, "signature"))));
  }
  if (type == "tool_use") {
    runs.push_back(deltas(index, "input_json_delta", "partial_json", dump(block["input"])));
  }
  runs.push_back(named({{"type", "content_block_stop"}, {"index", index}}));
}

// Converts a complete response to named events, which end with `failure` if there is one.
Response stream_message(const Json& whole, const std::string& failure,
                        std::chrono::milliseconds delay) {
  Feed feed;
  feed.delay = delay;
  feed.done_mark = false;
  std::vector<Run> runs;
  Json started = whole;
  started["content"] = Json::array();
  started["stop_reason"] = nullptr;
  started["stop_sequence"] = nullptr;
  started["usage"]["output_tokens"] = 0;
  runs.push_back(named({{"type", "message_start"}, {"message", started}}));
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

const char* stop_reason(const ModelOutput& output, bool at_stop) {
  if (at_stop) return "stop_sequence";
  if (output.finish == FinishReason::Length) return "max_tokens";
  return output.finish == FinishReason::ToolCalls ? "tool_use" : "end_turn";
}

Json content_of(const ModelOutput& output, const std::string& id) {
  Json content = Json::array();
  if (!output.reasoning.empty()) {
    content.push_back({{"type", "thinking"},
                       {"thinking", output.reasoning},
                       {"signature", seal("thinking", id)}});
  }
  const std::string& text = output.refusal.empty() ? output.text : output.refusal;
  if (!text.empty()) content.push_back({{"type", "text"}, {"text", text}});
  for (std::size_t i = 0; i < output.calls.size(); ++i) {
    content.push_back({{"type", "tool_use"},
                       {"id", fmt::format("toolu_{}_{}", id, i)},
                       {"name", output.calls[i].name},
                       {"input", parse_json(output.calls[i].arguments)}});
  }
  return content;
}

Json message_of(const Request& request, const ModelRequest& model_request,
                const ModelOutput& output, const std::optional<std::string>& stop) {
  const PromptTokens prompt = count_prompt(model_request);
  return {{"id", "msg_" + request.request_id},
          {"type", "message"},
          {"role", "assistant"},
          {"model", model_request.model->name},
          {"content", content_of(output, request.request_id)},
          {"stop_reason", stop_reason(output, stop.has_value())},
          {"stop_sequence", or_null(stop)},
          {"usage",
           {{"input_tokens", prompt.text + prompt.images},
            {"output_tokens", output.text_tokens + output.reasoning_tokens},
            {"cache_read_input_tokens", 0},
            {"cache_creation_input_tokens", 0}}}};
}

}  // namespace

Response messages(const Request& request) {
  SVC_TRY(body, read_body(request, request_types()["messages"]));
  SVC_TRY(model, pick_model(request, body));
  if (auto refusal = check_messages(body, *model)) return *refusal;
  ModelRequest model_request = read_messages(body, *model);
  if (const auto fault = check_tool_choice(model_request, false))
    return invalid_argument_error(*fault);
  if (const auto fault = check_prompt(model_request)) return invalid_argument_error(*fault);
  if (auto canned = take_canned_answer(request, "messages", body, model_request))
    return *std::move(canned);
  auto output = generate(model_request, 0, 1);
  if (!output) return invalid_argument_error(output.error().message);
  const auto stop = truncate_at_stop(body, *output);
  const Json message = message_of(request, model_request, *output, stop);
  Response response;
  if (get_bool(body, "stream", false)) {
    response = stream_message(message, output->failure, chunk_delay(request, k_piece_delay));
  } else if (!output->failure.empty()) {
    return unavailable_error(output->failure);
  } else {
    response.body = dump(message);
  }
  add_charges(model_request, *output, response);
  return response;
}

}  // namespace svc::emulator::legacy
