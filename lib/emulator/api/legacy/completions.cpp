// POST /v1/completions.

#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/api/legacy/handlers.h"
#include "emulator/api/text/chat.h"
#include "emulator/handler/feed.h"
#include "emulator/json/json.h"
#include "emulator/model/answer.h"
#include "emulator/model/rules.h"
#include "emulator/model/tokenizer.h"
#include "emulator/state/state.h"

namespace svc::emulator::legacy {

namespace {

using namespace svc::emulator::text;

constexpr std::size_t k_max_prompts = 64;  // the documents specify no limit

/// One answer; its number is its position in the list.
struct Choice {
  std::string text{};
  std::string echoed{};  ///< the prompt, if requested
  FinishReason finish = FinishReason::Stop;
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

std::optional<std::string> check_completions(const Json& body, const Model& model) {
  if (model.reasoning) {
    return fmt::format("Model {} does not support completions. Use chat completions.", model.name);
  }
  // They would change the response's format; mere tuning options are ignored.
  for (const char* name : {"best_of", "suffix"}) {
    if (member(body, name) != nullptr) return fmt::format("Argument not supported: {}", name);
  }
  if (get_integer(body, "max_tokens") == 0) return "max_tokens must be at least 1.";
  if (auto fault = check_range(body, "n", 1, k_max_choices)) return fault;
  for (const char* name : {"frequency_penalty", "presence_penalty"}) {
    if (auto fault = check_range(body, name, -2, 2)) return fault;
  }
  if (auto fault = check_range(body, "temperature", 0, 2)) return fault;
  if (auto fault = check_range(body, "top_p", 0, 1)) return fault;
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
  if (prompt.empty()) return invalid_argument_error("prompt cannot be empty.");
  ModelRequest model_request{.model = &model};
  model_request.turns.push_back({.role = "user", .text = prompt});
  model_request.max_tokens = get_integer(body, "max_tokens").value_or(k_default_max_tokens);
  model_request.seed = get_integer(body, "seed").value_or(0);
  if (const auto fault = check_prompt(model_request)) return invalid_argument_error(*fault);
  if (auto canned = take_canned_answer(request, "completions", body, model_request)) return canned;
  completion.canned = model_request.canned;
  SVC_TRY(answer, answer_chat(request, body, std::move(model_request)));
  for (ModelOutput& output : answer.output) {
    completion.failure = output.failure;
    (void)truncate_at_stop(body, output);
    completion.choices.push_back({output.refusal.empty() ? output.text : output.refusal,
                                  get_bool(body, "echo", false) ? prompt : "", output.finish});
  }
  add_usage(completion.usage, parse_json(answer.usage));
  completion.tokens += answer.tokens;
  for (Charge& charge : answer.charges) completion.charges.push_back(std::move(charge));
  return std::nullopt;
}

// The format of the industry's older interface; `offset` is the position of `text` in the whole.
Json legacy_logprobs(sv text, std::size_t top, std::size_t offset) {
  Json tokens = Json::array(), values = Json::array(), tops = Json::array(),
       offsets = Json::array();
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
      choice["logprobs"] = legacy_logprobs(one.echoed + one.text, *completion.top, 0);
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
    choice["logprobs"] = legacy_logprobs(text, *completion.top, 0);
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
                    {}});
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

}  // namespace

Response completions(const Request& request) {
  SVC_TRY(body, read_body(request, request_types()["completions"]));
  SVC_TRY(model, pick_model(request, body));
  if (const auto fault = check_completions(body, *model)) return invalid_argument_error(*fault);
  const auto prompts = prompts_of(body);
  if (prompts.empty() || prompts.size() > k_max_prompts) {
    return invalid_argument_error(fmt::format("prompt must hold 1 to {} texts.", k_max_prompts));
  }
  Completion completion{.id = request.request_id,
                        .created = request.state->now_ms() / 1000,
                        .model = std::string(model->name)};
  for (const std::string& prompt : prompts) {
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

namespace {

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

std::optional<std::string> check_complete(const Json& body, const Model& model) {
  if (get_bool(body, "stream", false)) return "Argument not supported: stream";
  if (get_string(body, "prompt").empty()) return "prompt cannot be empty.";
  if (get_integer(body, "max_tokens_to_sample") == 0)
    return "max_tokens_to_sample must be at least 1.";
  if (auto fault = check_stop(body, model, "stop_sequences")) return fault;
  return check_common_fields(body);
}

}  // namespace

std::optional<std::string> check_stop(const Json& body, const Model& model, sv name) {
  const auto stops = stops_of(body);
  if (stops.size() > k_max_stops) {
    return fmt::format("Too many stop sequences: {} given, at most {} are allowed.", stops.size(),
                       k_max_stops);
  }
  if (stops.empty() || !model.reasoning) return std::nullopt;
  return fmt::format("Model {} does not support parameter {}.", model.name, name);
}

std::optional<std::string> truncate_at_stop(const Json& body, ModelOutput& output) {
  std::size_t first = std::string::npos;
  std::optional<std::string> found;
  for (const std::string& stop : stops_of(body)) {
    const std::size_t at = stop.empty() ? std::string::npos : output.text.find(stop);
    if (at >= first) continue;
    first = at;
    found = stop;
  }
  if (!found) return std::nullopt;
  output.text.resize(first);
  output.finish = FinishReason::Stop;
  output.text_tokens = static_cast<std::int64_t>(count_tokens(output.text));
  return found;
}

Response complete(const Request& request) {
  SVC_TRY(body, read_body(request, request_types()["complete"]));
  SVC_TRY(model, pick_model(request, body));
  if (const auto fault = check_complete(body, *model)) return invalid_argument_error(*fault);
  ModelRequest model_request{.model = model};
  model_request.turns.push_back({.role = "user", .text = get_string(body, "prompt")});
  model_request.max_tokens =
      get_integer(body, "max_tokens_to_sample").value_or(k_default_max_tokens);
  if (const auto fault = check_prompt(model_request)) return invalid_argument_error(*fault);
  if (auto canned = take_canned_answer(request, "complete", body, model_request))
    return *std::move(canned);
  auto output = generate(model_request, 0, 1);
  if (!output) return invalid_argument_error(output.error().message);
  if (!output->failure.empty()) return unavailable_error(output->failure);
  const auto stop = truncate_at_stop(body, *output);
  const char* reason = output->finish == FinishReason::Length ? "max_tokens" : "end_turn";
  Response answer =
      json_response(Json{{"type", "completion"},
                         {"id", "compl_" + request.request_id},
                         {"completion", output->refusal.empty() ? output->text : output->refusal},
                         {"model", model->name},
                         {"stop_reason", stop ? "stop_sequence" : reason}});
  add_charges(model_request, *output, answer);
  return answer;
}

void add_charges(const ModelRequest& model_request, const ModelOutput& output, Response& answer) {
  const PromptTokens prompt = count_prompt(model_request);
  const TokenUse use{.prompt = prompt.text + prompt.images,
                     .completion = output.text_tokens,
                     .reasoning = output.reasoning_tokens};
  answer.tokens = use.prompt + use.completion + use.reasoning;
  answer.charges = charges_of(*model_request.model, use);
  finish_canned(model_request.canned, answer);
}

const text::Types& request_types() {
  static const text::Types k_types(R"(
stop = text | texts
completions = {
  prompt!: stop, model, best_of: count, echo: boolean, frequency_penalty: number, logit_bias: map,
  logprobs: count, max_tokens: count, n: count, presence_penalty: number, seed: integer,
  stop: stop, stream: boolean, stream_options: {include_usage!: boolean}, suffix,
  temperature: number, top_p: number, user}
complete = {
  prompt!, model, max_tokens_to_sample!: count, metadata: {user_id}, stop_sequences: texts,
  stream: boolean, temperature: number, top_k: count, top_p: number}

text_part = {text!}
image = {source!: @type{base64: {media_type!, data!}, url: {url!}}}
part = @type{
  text: text_part, image: image, tool_use: {id!, name!, input!: map},
  tool_result: {tool_use_id!, content: text | [@type{text: text_part, image: image}],
                is_error: boolean},
  thinking: {thinking!, signature}, redacted_thinking: {data!}}
messages = {
  messages!: [{role!: <user assistant>, content!: text | [part]}], max_tokens!: count, model,
  metadata: {user_id}, stop_sequences: texts, stream: boolean,
  system: text | [@type{text: text_part}], temperature: number,
  tool_choice: @type{auto, any, none, tool: {name!}},
  tools: [{name!, description, input_schema!: map}], top_k: count, top_p: number}
)");
  return k_types;
}

}  // namespace svc::emulator::legacy
