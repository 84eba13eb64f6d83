// POST /v1/completions, /v1/complete and /v1/messages.

#include <nlohmann/json.hpp>

#include "emulator/api/text/text.h"

namespace svc::emulator::legacy {
namespace {

using namespace svc::emulator::text;

/// One answer; its number is its position in the list.
struct Choice {
  std::string text{};
  std::string echoed{};  ///< the prompt, if requested
  FinishReason finish = FinishReason::Stop;
  std::vector<Cut> cuts{};  ///< of `text`
};

/// The content of both response formats.
struct Completion {
  std::string id{};
  std::int64_t created = 0;
  std::string model{};
  std::vector<Choice> choices{};
  Json usage = Json::object();
  std::optional<std::size_t> top{};  ///< log probabilities with this many alternatives
  std::string failure{};
  std::int64_t tokens = 0;
  std::vector<Charge> charges{};
  std::optional<CannedAnswer> canned{};
};

std::vector<std::string> stops_of(const Json& body) {
  std::vector<std::string> stops;
  for (const char* name : {"stop", "stop_sequences"}) {
    const Json* value = member(body, name);
    if (value == nullptr) continue;
    if (value->is_string()) stops.push_back(value->get<std::string>());
    if (value->is_array()) stops = value->get<std::vector<std::string>>();
  }
  return stops;
}

// Reasoning models take no stop sequences.
std::optional<std::string> check_stop(const Json& body, const Model& model, sv name) {
  if (stops_of(body).empty() || !model.reasoning) return std::nullopt;
  return fmt::format("Model {} does not support parameter {}.", model.name, name);
}

// Adds to `response` its cost, and the headers of an answer rule.
void add_charges(const ModelRequest& model_request, const ModelOutput& output, Response& answer) {
  const PromptTokens prompt = count_prompt(model_request);
  const TokenUse use{.prompt = prompt.text + prompt.images,
                     .completion = output.text_tokens,
                     .reasoning = output.reasoning_tokens};
  answer.tokens = use.prompt + use.completion + use.reasoning;
  answer.charges = charges_of(*model_request.model, use);
  finish_canned(model_request.canned, answer);
}

std::optional<std::string> check_completions(const Json& body, const Model& model) {
  if (model.reasoning) {
    return fmt::format("Model {} does not support completions. Use chat completions.", model.name);
  }
  // They would change the response's format; mere tuning options are ignored.
  for (const char* name : {"best_of", "suffix"}) {
    if (member(body, name) != nullptr) return fmt::format("Argument not supported: {}", name);
  }
  return check_stop(body, model, "stop");
}

std::vector<std::string> prompts_of(const Json& body) {
  const Json& prompt = body["prompt"];
  if (prompt.is_string()) return {prompt.get<std::string>()};
  return prompt.get<std::vector<std::string>>();
}

// Adds numbers, and objects field by field.
void add_usage(Json& sum, const Json& usage) {
  for (const auto& [name, value] : usage.items()) {
    if (value.is_object()) {
      if (!sum.contains(name)) sum[name] = Json::object();
      add_usage(sum[name], value);
    } else {
      sum[name] = get_integer(sum, name).value_or(0) + value.get<std::int64_t>();
    }
  }
}

// Answers one prompt; returns the refusal, if any.
std::optional<Response> answer_prompt(const Request& request, const Json& body, const Model& model,
                                      const std::string& prompt, Completion& completion) {
  ModelRequest model_request{.model = &model};
  model_request.turns.push_back({.role = "user", .text = prompt});
  model_request.max_tokens = get_integer(body, "max_tokens").value_or(k_default_max_tokens);
  model_request.seed = get_integer(body, "seed").value_or(0);
  model_request.stop = stops_of(body);
  if (auto given = refuse_or_answer(request, "completions", body, model_request)) return given;
  completion.canned = model_request.canned;
  SVC_TRY(answer, answer_chat(request, body, std::move(model_request)));
  for (ModelOutput& output : answer.output) {
    completion.failure = output.failure;
    completion.choices.push_back({output.refusal.empty() ? output.text : output.refusal,
                                  get_bool(body, "echo", false) ? prompt : "", output.finish,
                                  output.cuts});
  }
  add_usage(completion.usage, parse_json(answer.usage));
  completion.tokens += answer.tokens;
  for (Charge& charge : answer.charges) completion.charges.push_back(std::move(charge));
  return std::nullopt;
}

// The format of the industry's older interface.
Json legacy_logprobs(sv text, std::size_t top) {
  Json tokens = Json::array(), values = Json::array(), tops = Json::array(),
       offsets = Json::array();
  std::size_t offset = 0;
  const Json logprobs = logprobs_of(text, top);
  for (const Json& entry : logprobs["content"]) {
    const std::string token = get_string(entry, "token");
    Json alternatives = Json::object();
    for (const Json& other : entry["top_logprobs"]) {
      alternatives[get_string(other, "token")] = other["logprob"];
    }
    alternatives[token] = entry["logprob"];  // always includes the sampled token
    tokens.push_back(token);
    values.push_back(entry["logprob"]);
    tops.push_back(std::move(alternatives));
    offsets.push_back(offset);
    offset += token.size();
  }
  return {{"tokens", std::move(tokens)},
          {"token_logprobs", std::move(values)},
          {"top_logprobs", std::move(tops)},
          {"text_offset", std::move(offsets)}};
}

Json frame(const Completion& completion, Json choices) {
  return {{"id", completion.id},           {"object", "text_completion"},
          {"created", completion.created}, {"model", completion.model},
          {"choices", std::move(choices)}, {"system_fingerprint", k_system_fingerprint}};
}

std::string document(const Completion& completion) {
  Json choices = Json::array();
  for (std::size_t i = 0; i < completion.choices.size(); ++i) {
    const Choice& one = completion.choices[i];
    Json choice = {{"index", i},
                   {"text", one.echoed + one.text},
                   {"finish_reason", finish_reason_name(one.finish)}};
    if (completion.top) {
      choice["logprobs"] = legacy_logprobs(one.echoed + one.text, *completion.top);
    }
    choices.push_back(std::move(choice));
  }
  Json whole = frame(completion, std::move(choices));
  whole["usage"] = completion.usage;
  return dump(whole);
}

std::string chunk(const Completion& completion, bool with_usage, std::size_t index, sv text,
                  const Json& finish_reason) {
  Json choice = {{"index", index}, {"text", text}, {"finish_reason", finish_reason}};
  if (completion.top && !text.empty()) {
    choice["logprobs"] = legacy_logprobs(text, *completion.top);
  }
  Json event = frame(completion, Json::array({std::move(choice)}));
  if (with_usage) event["usage"] = nullptr;
  return dump(event);
}

Response stream_completion(Completion made, bool with_usage, std::chrono::milliseconds delay) {
  const auto completion = std::make_shared<const Completion>(std::move(made));
  Feed feed;
  feed.delay = delay;
  for (std::size_t i = 0; i < completion->choices.size(); ++i) {
    const Choice& one = completion->choices[i];
    std::vector<Run> runs;
    if (!one.echoed.empty()) {
      runs.push_back(single(chunk(*completion, with_usage, i, one.echoed, nullptr)));
    }
    runs.push_back({[completion, with_usage, i](sv text_chunk, bool) {
                      return chunk(*completion, with_usage, i, text_chunk, nullptr);
                    },
                    one.text,
                    false,
                    {},
                    one.cuts});
    if (completion->failure.empty()) {
      runs.push_back(single(chunk(*completion, with_usage, i, "", finish_reason_name(one.finish))));
    }
    feed.lanes.push_back(std::move(runs));
  }
  if (!completion->failure.empty()) {
    feed.tail.push_back(single(failure_event(completion->failure)));
    feed.done_mark = false;
  } else if (with_usage) {
    Json event = frame(*completion, Json::array());
    event["usage"] = completion->usage;
    feed.tail.push_back(single(dump(event)));
  }
  return stream(std::move(feed));
}

Response completions(const Request& request) {
  SVC_TRY(body, read_body(request, "completions"));
  SVC_TRY(model, pick_model(request, body));
  if (const auto fault = check_completions(body, *model)) return invalid_argument_error(*fault);
  Completion completion{.id = request.request_id,
                        .created = request.state->now_ms() / 1000,
                        .model = std::string(model->name)};
  for (const std::string& prompt : prompts_of(body)) {
    if (auto refusal = answer_prompt(request, body, *model, prompt, completion)) return *refusal;
  }
  const auto top = get_integer(body, "logprobs");
  if (model->logprobs && top) completion.top = static_cast<std::size_t>(*top);
  Response answer;
  if (get_bool(body, "stream", false)) {
    answer = stream_completion(completion, wants_usage(body), chunk_delay(request, k_piece_delay));
  } else if (!completion.failure.empty()) {
    return unavailable_error(completion.failure);
  } else {
    answer.body = document(completion);
  }
  answer.tokens = completion.tokens;
  answer.charges = std::move(completion.charges);
  finish_canned(completion.canned, answer);
  return answer;
}

// POST /v1/complete, and parts shared by the older operations.

const char* stop_reason(const ModelOutput& output) {
  if (output.stop) return "stop_sequence";
  if (output.finish == FinishReason::Length) return "max_tokens";
  return output.finish == FinishReason::ToolCalls ? "tool_use" : "end_turn";
}

std::optional<std::string> check_complete(const Json& body, const Model& model) {
  if (get_bool(body, "stream", false)) return "Argument not supported: stream";
  if (auto fault = check_stop(body, model, "stop_sequences")) return fault;
  return check_common_fields(body);
}

Response complete(const Request& request) {
  SVC_TRY(body, read_body(request, "complete"));
  SVC_TRY(model, pick_model(request, body));
  if (const auto fault = check_complete(body, *model)) return invalid_argument_error(*fault);
  ModelRequest model_request{.model = model};
  model_request.turns.push_back({.role = "user", .text = get_string(body, "prompt")});
  model_request.max_tokens =
      get_integer(body, "max_tokens_to_sample").value_or(k_default_max_tokens);
  model_request.stop = stops_of(body);
  if (auto answer = refuse_or_answer(request, "complete", body, model_request)) return *answer;
  auto output = generate(model_request, 0, 1);
  if (!output) return invalid_argument_error(output.error().message);
  if (!output->failure.empty()) return unavailable_error(output->failure);
  Response answer =
      json_response(Json{{"type", "completion"},
                         {"id", "compl_" + request.request_id},
                         {"completion", output->refusal.empty() ? output->text : output->refusal},
                         {"model", model->name},
                         {"stop_reason", stop_reason(*output)}});
  add_charges(model_request, *output, answer);
  return answer;
}

// POST /v1/messages: the answer as one message.

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

void add_tool_result(const Json& part, InputTurns& into) {
  Turn turn = plain_turn("tool", copy_of(part, "content"));
  turn.name = into.called[get_string(part, "tool_use_id")];
  if (get_bool(part, "is_error", false)) turn.text = "error: " + turn.text;
  into.turns.push_back(std::move(turn));
}

// Tool results are separate turns.
void add_message(const Json& message, InputTurns& into) {
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
  InputTurns conversation;
  if (const Json* system = member(body, "system")) {
    conversation.turns.push_back(plain_turn("system", *system));
  }
  for (const Json& message : body["messages"]) add_message(message, conversation);
  ModelRequest model_request{.model = &model, .turns = std::move(conversation.turns)};
  read_tools(body, model_request);
  model_request.stop = stops_of(body);
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
Run deltas(std::size_t index, const char* type, const char* member_name, std::string text,
           std::vector<Cut> cuts = {}) {
  return {
      .event = [=](sv chunk, bool) { return dump(delta_event(index, type, member_name, chunk)); },
      .text = std::move(text),
      .whole = false,
      .name = "content_block_delta",
      .cuts = std::move(cuts)};
}

void add_block(std::vector<Run>& runs, std::size_t index, const Json& block,
               const std::vector<Cut>& cuts) {
  const std::string type = get_string(block, "type");
  Json start = block;
  if (type == "text") start["text"] = "";
  if (type == "thinking") start = {{"type", "thinking"}, {"thinking", ""}, {"signature", ""}};
  if (type == "tool_use") start["input"] = Json::object();
  runs.push_back(
      named({{"type", "content_block_start"}, {"index", index}, {"content_block", start}}));
  if (type == "text")
    runs.push_back(deltas(index, "text_delta", "text", get_string(block, "text"), cuts));
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
Response stream_message(const Json& whole, const ModelOutput& output,
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
  for (std::size_t i = 0; i < whole["content"].size(); ++i) {
    add_block(runs, i, whole["content"][i], output.cuts);
  }
  if (!output.failure.empty()) {
    runs.push_back(named(
        {{"type", "error"}, {"error", {{"type", "api_error"}, {"message", output.failure}}}}));
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
                const ModelOutput& output) {
  const PromptTokens prompt = count_prompt(model_request);
  return {{"id", "msg_" + request.request_id},
          {"type", "message"},
          {"role", "assistant"},
          {"model", model_request.model->name},
          {"content", content_of(output, request.request_id)},
          {"stop_reason", stop_reason(output)},
          {"stop_sequence", or_null(output.stop)},
          {"usage",
           {{"input_tokens", prompt.text + prompt.images},
            {"output_tokens", output.text_tokens + output.reasoning_tokens},
            {"cache_read_input_tokens", 0},
            {"cache_creation_input_tokens", 0}}}};
}

Response messages(const Request& request) {
  SVC_TRY(body, read_body(request, "messages"));
  SVC_TRY(model, pick_model(request, body));
  if (auto refusal = check_messages(body, *model)) return *refusal;
  ModelRequest model_request = read_messages(body, *model);
  if (auto answer = refuse_or_answer(request, "messages", body, model_request)) return *answer;
  auto output = generate(model_request, 0, 1);
  if (!output) return invalid_argument_error(output.error().message);
  const Json message = message_of(request, model_request, *output);
  Response response;
  if (get_bool(body, "stream", false)) {
    response = stream_message(message, *output, chunk_delay(request, k_piece_delay));
  } else if (!output->failure.empty()) {
    return unavailable_error(output->failure);
  } else {
    response.body = dump(message);
  }
  add_charges(model_request, *output, response);
  return response;
}

}  // namespace
}  // namespace svc::emulator::legacy

auto svc::emulator::legacy_routes() -> std::vector<Route> {
  constexpr const char* acl = "chat";
  return {
      {"POST", "/v1/completions", legacy::completions, acl},
      {"POST", "/v1/messages", legacy::messages, acl},
      {"POST", "/v1/complete", legacy::complete, acl},
  };
}
