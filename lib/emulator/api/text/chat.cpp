#include <nlohmann/json.hpp>

#include "emulator/api/files/store.h"
#include "emulator/api/text/text.h"

namespace svc::emulator::text {
namespace {

constexpr std::int64_t k_deferred_ms = 1000;

// 200 {"request_id"}; the answer is generated now and returned later.
Response defer(const Request& call, std::string document) {
  const DeferredJob job{.id = call.state->new_uuid(),
                        .team_id = call.key.team_id,
                        .ready_at_ms = call.state->now_ms() + k_deferred_ms,
                        .body = std::move(document)};
  SVC_CHECK(checked(call.state->add_deferred(job)));
  return json_response(Json{{"request_id", job.id}});
}

// Parameters that some models do not accept.
std::optional<std::string> check_model(const Json& body, const Model& model) {
  const auto refused = [&](sv name) {
    return fmt::format("Model {} does not support parameter {}.", model.name, name);
  };
  const Json* stop = member(body, "stop");
  if (model.reasoning && stop != nullptr && !stop->empty()) return refused("stop");
  for (const sv name : {sv("frequency_penalty"), sv("presence_penalty")}) {
    const bool excluded = model.reasoning || (name == "presence_penalty" && model.name == "svc-3");
    if (excluded && get_number(body, name).value_or(0) != 0) return refused(name);
  }
  return check_effort(model, "reasoning_effort", get_string(body, "reasoning_effort"));
}

std::optional<Response> check_part(const Json& part) {
  const std::string type = get_string(part, "type");
  if (type == "input_image") return check_image(get_string(part, "image_url"));
  if (type == "image_url") return check_image(get_string(part["image_url"], "url"));
  if (type != "file") return std::nullopt;
  const Json& file = part["file"];
  if ((member(file, "file_id") == nullptr) != (member(file, "url") == nullptr)) return std::nullopt;
  return invalid_argument_error("A file part needs exactly one of file_id and url.");
}

std::optional<Response> check_content(const Json& messages) {
  for (const Json& message : messages) {
    const Json* content = member(message, "content");
    if (content == nullptr || !content->is_array()) continue;
    for (const Json& part : *content) {
      if (auto fault = check_part(part)) return fault;
    }
  }
  return std::nullopt;
}

void add_chat_content(const Json& content, Turn& turn) {
  if (content.is_string()) turn.text = content.get<std::string>();
  if (!content.is_array()) return;
  for (const Json& part : content) {
    const std::string type = get_string(part, "type");
    if (type == "image_url" || type == "input_image") {
      ++turn.images;
    } else if (type == "file") {
      ++turn.files;
      const std::string id = get_string(part["file"], "file_id");
      if (!id.empty()) turn.file_ids.push_back(id);
    } else {
      add_text(turn, get_string(part, "text"));
    }
  }
}

// Returns the function name of the call with that ID.
std::string called_name(const Json& messages, const std::string& id) {
  for (const Json& message : messages) {
    const Json* calls = member(message, "tool_calls");
    if (calls == nullptr) continue;
    for (const Json& call : *calls) {
      if (get_string(call, "id") == id) return get_string(call["function"], "name");
    }
  }
  return {};
}

Turn read_message(const Json& message, const Json& messages) {
  Turn turn{.role = get_string(message, "role")};
  if (const Json* content = member(message, "content")) add_chat_content(*content, turn);
  if (turn.role == "tool") turn.name = called_name(messages, get_string(message, "tool_call_id"));
  if (turn.role == "function") {
    turn.role = "tool";
    turn.name = get_string(message, "name");
  }
  // The model's own tool calls count as prompt text, too.
  if (const Json* calls = member(message, "tool_calls")) turn.text += dump(*calls);
  return turn;
}

void read_tools(const Json& body, ModelRequest& model_request) {
  add_tool_definitions(body, model_request, [&](const Json& tool) {
    const Json* function = member(tool, "function");
    if (function == nullptr) return;
    model_request.functions.push_back(
        {get_string(*function, "name"), member(*function, "parameters")});
  });
  model_request.tool_choice = model_request.functions.empty() ? ToolChoice::None : ToolChoice::Auto;
  read_tool_choice(body, model_request);
}

// Runs the searches of search_parameters and of a live_search tool.
Search search_for(const Json& body, const ModelRequest& model_request) {
  if (model_request.canned && model_request.canned->citations) {
    return {.sources = cited_by_rule(*model_request.canned), .citations = true};
  }
  if (is_canned(model_request)) return {};
  const std::string& question = last_user_text(model_request);
  if (const Json* parameters = member(body, "search_parameters")) {
    return run_search(*parameters, question);
  }
  const Json* tools = member(body, "tools");
  if (tools == nullptr || model_request.tool_choice == ToolChoice::Named) return {};
  for (const Json& tool : *tools) {
    if (get_string(tool, "type") == "live_search") return run_search(tool, question);
  }
  return {};
}

// Creates the output of code execution: one file, in the team's store.
Result<std::string> make_output_files(const Request& call, const Json& body,
                                      const ModelRequest& model_request) {
  if (!includes(body, "code_execution_files_output")) return std::string();
  const std::string text = fmt::format("{}\n", last_user_text(model_request));
  SVC_TRY(file, store_file(*call.state, call.key.team_id,
                           {.filename = "output.txt", .content_type = "text/plain", .data = text}));
  return dump(Json::array({Json{{"file_id", file.id}, {"name", file.filename}}}));
}

// Sets the usage and the cost.
void account_for(const ModelRequest& model_request, std::int64_t cached, ChatAnswer& answer) {
  const PromptTokens prompt = count_prompt(model_request);
  TokenUse use{.prompt = prompt.text + prompt.images,
               .cached = cached,
               .sources = static_cast<std::int64_t>(answer.sources.size())};
  for (const ModelOutput& output : answer.output) {
    use.completion += output.text_tokens;
    use.reasoning += output.reasoning_tokens;
  }
  answer.tokens = use.prompt + use.completion + use.reasoning;
  answer.charges = charges_of(*model_request.model, use);
  answer.usage = dump(chat_usage(use, prompt.images, total_ticks(answer.charges)));
}

Json chat_tool_call(const ChatAnswer& answer, std::size_t choice, std::size_t index) {
  const FunctionCall& call = answer.output[choice].calls[index];
  return {{"id", fmt::format("call_{}_{}_{}", answer.id, choice, index)},
          {"type", "function"},
          {"index", index},
          {"function", {{"name", call.name}, {"arguments", call.arguments}}}};
}

Json citation_list(const ChatAnswer& answer) {
  return text::json_list(answer.sources, [](const Source& source) { return source.url; });
}

Json message_of(const ChatAnswer& answer, std::size_t choice) {
  const ModelOutput& output = answer.output[choice];
  const bool silent = !output.refusal.empty() || !output.calls.empty();
  Json message = {{"role", "assistant"}, {"content", silent ? Json(nullptr) : Json(output.text)}};
  if (!output.reasoning.empty()) message["reasoning_content"] = output.reasoning;
  if (!output.calls.empty()) {
    Json& calls = message["tool_calls"] = Json::array();
    for (std::size_t i = 0; i < output.calls.size(); ++i) {
      calls.push_back(chat_tool_call(answer, choice, i));
    }
  }
  message["refusal"] = or_null(output.refusal);
  return message;
}

Json token_entry(sv token, double logprob) {
  Json bytes = Json::array();
  for (const char byte : token) bytes.push_back(static_cast<unsigned char>(byte));
  return {{"token", token}, {"logprob", logprob}, {"bytes", std::move(bytes)}};
}

// Generates the chunks. Shared by all events of one stream.
class Chunks {
 public:
  Chunks(ChatAnswer answer, bool include_usage)
      : m_answer(std::move(answer)), m_include_usage(include_usage) {}

  [[nodiscard]] const ChatAnswer& answer() const { return m_answer; }

  [[nodiscard]] Json chunk(Json choices) const {
    Json chunk = {{"id", m_answer.id},
                  {"object", "chat.completion.chunk"},
                  {"created", m_answer.created},
                  {"model", m_answer.model},
                  {"choices", std::move(choices)},
                  {"system_fingerprint", k_system_fingerprint}};
    if (m_include_usage) chunk["usage"] = nullptr;
    return chunk;
  }

  [[nodiscard]] Json delta(std::size_t choice, Json delta) const {
    return chunk(Json::array({Json{{"index", choice}, {"delta", std::move(delta)}}}));
  }

  [[nodiscard]] std::string text(std::size_t choice, sv name, sv piece, bool with_citations) const {
    Json event = delta(choice, Json{{name, piece}});
    if (name == "content" && m_answer.top_logprobs) {
      event["choices"][0]["logprobs"] = logprobs_of(piece, *m_answer.top_logprobs);
    }
    if (with_citations) event["citations"] = citation_list(m_answer);
    return dump(event);
  }

  [[nodiscard]] std::string finish(std::size_t choice) const {
    Json event = delta(choice, Json::object());
    event["choices"][0]["finish_reason"] = finish_reason_name(m_answer.output[choice].finish);
    event["service_tier"] = m_answer.tier;
    if (!m_answer.output_files.empty() && choice + 1 == m_answer.output.size()) {
      event["output_files"] = parse_json(m_answer.output_files);
    }
    // Citations are on the last content chunk; without one, here.
    if (cites(choice) && m_answer.output[choice].text.empty()) {
      event["citations"] = citation_list(m_answer);
    }
    return dump(event);
  }

  [[nodiscard]] std::string usage() const {
    Json event = chunk(Json::array());
    event["usage"] = parse_json(m_answer.usage);
    return dump(event);
  }

  // They belong to the whole answer: the last choice has them.
  [[nodiscard]] bool cites(std::size_t choice) const {
    return m_answer.citations && choice + 1 == m_answer.output.size();
  }

 private:
  ChatAnswer m_answer;
  bool m_include_usage;
};

using Shared = std::shared_ptr<const Chunks>;

Run pieces(const Shared& chunks, std::size_t choice, sv name, const std::string& text) {
  const bool cites = name == "content" && chunks->cites(choice);
  return Run{.event = [chunks, choice, name, cites](
                          sv piece,
                          bool last) { return chunks->text(choice, name, piece, cites && last); },
             .text = text,
             .whole = false,
             .cuts = name == "content" ? chunks->answer().output[choice].cuts : std::vector<Cut>()};
}

std::vector<Run> choice_runs(const Shared& chunks, std::size_t choice) {
  const ModelOutput& output = chunks->answer().output[choice];
  std::vector<Run> runs;
  runs.push_back(single(dump(chunks->delta(choice, Json{{"role", "assistant"}, {"content", ""}}))));
  runs.push_back(pieces(chunks, choice, "reasoning_content", output.reasoning));
  if (!output.failure.empty()) return runs;
  runs.push_back(pieces(chunks, choice, "content", output.text));
  runs.push_back(pieces(chunks, choice, "refusal", output.refusal));
  for (std::size_t i = 0; i < output.calls.size(); ++i) {
    const Json calls = Json::array({chat_tool_call(chunks->answer(), choice, i)});
    runs.push_back(single(dump(chunks->delta(choice, Json{{"tool_calls", calls}}))));
  }
  runs.push_back(single(chunks->finish(choice)));
  return runs;
}

// Checks the values of a request whose types are valid; returns an error message.
std::optional<Response> check_chat(const Json& body, const Model& model) {
  if (body["messages"].empty())
    return error_response(400, "400", "Bad data: Messages cannot be empty");
  if (get_bool(body, "stream", false) && get_bool(body, "deferred", false)) {
    return Response{.status = 400,
                    .body = R"("A request may either be streaming or deferred, but not both.")"};
  }
  for (const auto& fault : {check_common_fields(body), check_model(body, model)}) {
    if (fault) return invalid_argument_error(*fault);
  }
  return check_content(body["messages"]);
}

// Returns the model's input for the request; it points into `body`.
ModelRequest read_chat(const Json& body, const Model& model) {
  ModelRequest model_request{.model = &model};
  for (const Json& message : body["messages"]) {
    model_request.turns.push_back(read_message(message, body["messages"]));
  }
  read_tools(body, model_request);
  read_response_format(member(body, "response_format"), model_request);
  if (const Json* stop = member(body, "stop"))
    model_request.stop = stop->get<std::vector<std::string>>();
  // The newer name overrides the deprecated one.
  const auto limit = get_integer(body, "max_completion_tokens");
  model_request.max_tokens =
      limit ? *limit : get_integer(body, "max_tokens").value_or(k_default_max_tokens);
  model_request.effort = get_string(body, "reasoning_effort", "low");
  model_request.seed = get_integer(body, "seed").value_or(0);
  return model_request;
}

// The whole answer as one document.
std::string chat_document(const ChatAnswer& answer) {
  Json choices = Json::array();
  for (std::size_t i = 0; i < answer.output.size(); ++i) {
    const ModelOutput& output = answer.output[i];
    Json choice = {{"index", i},
                   {"message", message_of(answer, i)},
                   {"finish_reason", finish_reason_name(output.finish)}};
    if (answer.top_logprobs) choice["logprobs"] = logprobs_of(output.text, *answer.top_logprobs);
    choices.push_back(std::move(choice));
  }
  Json document = {{"id", answer.id},
                   {"object", "chat.completion"},
                   {"created", answer.created},
                   {"model", answer.model},
                   {"choices", std::move(choices)},
                   {"usage", parse_json(answer.usage)},
                   {"service_tier", answer.tier},
                   {"system_fingerprint", k_system_fingerprint}};
  if (answer.citations) document["citations"] = citation_list(answer);
  if (!answer.output_files.empty()) document["output_files"] = parse_json(answer.output_files);
  return dump(document);
}

// The answer as events. With `include_usage`, a chunk with the usage comes last.
Response stream_chat(ChatAnswer answer, bool include_usage, std::chrono::milliseconds delay) {
  const auto chunks = std::make_shared<const Chunks>(std::move(answer), include_usage);
  Feed feed;
  feed.delay = delay;
  const auto& output = chunks->answer().output;
  for (std::size_t i = 0; i < output.size(); ++i) feed.lanes.push_back(choice_runs(chunks, i));
  if (!output.front().failure.empty()) {
    feed.tail.push_back(single(failure_event(output.front().failure)));
    feed.done_mark = false;
  } else if (include_usage) {
    feed.tail.push_back(single(chunks->usage()));
  }
  return stream(std::move(feed));
}

}  // namespace

Response create_chat(const Request& call) {
  SVC_TRY(body, read_body(call, "chat"));
  SVC_TRY(model, pick_model(call, body));
  if (auto refusal = check_chat(body, *model)) return *refusal;
  ModelRequest model_request = read_chat(body, *model);
  if (auto refusal = attach_files(call, model_request.turns)) return *refusal;
  if (auto answer = refuse_or_answer(call, "chat", body, model_request)) return *std::move(answer);

  SVC_TRY(output, answer_chat(call, body, model_request));
  Response answer;
  if (get_bool(body, "stream", false)) {
    answer = stream_chat(output, wants_usage(body), chunk_delay(call, k_piece_delay));
  } else if (!output.output.front().failure.empty()) {
    return unavailable_error(output.output.front().failure);
  } else if (get_bool(body, "deferred", false)) {
    Json document = parse_json(chat_document(output));
    if (auto& canned = model_request.canned) {
      patch_canned(*canned, document);
      canned->members = nullptr;  // they are not those of the receipt
    }
    answer = defer(call, dump(document));
  } else {
    answer.body = chat_document(output);
  }
  answer.tokens = output.tokens;
  answer.charges = std::move(output.charges);
  finish_canned(model_request.canned, answer);
  return answer;
}

Response fetch_deferred(const Request& call) {
  // Reading deletes the result, so it must not happen if the result is not sent.
  if (call.method == "HEAD") {
    return error_response(405, "Method not allowed",
                          "A deferred completion is read with GET only.");
  }
  const std::string& id = call.params.at("request_id");
  if (!is_uuid(id)) return invalid_argument_error("The request id is not a UUID: " + excerpt(id));
  SVC_TRY(fetch, checked(call.state->fetch_deferred(call.key.team_id, to_lower(id))));
  if (fetch.status == DeferredFetch::Status::Unknown) {
    return not_found_error("Deferred completion with request_id=" + id + " not found");
  }
  return Response{.status = fetch.status == DeferredFetch::Status::Pending ? 202 : 200,
                  .body = std::move(fetch.body)};
}

Checked<ChatAnswer> answer_chat(const Request& call, const Json& body, ModelRequest model_request) {
  ChatAnswer answer;
  Search search = search_for(body, model_request);
  if (search.citations) model_request.sources = search.sources;
  answer.id = call.request_id;
  answer.created = call.state->now_ms() / 1000;
  answer.model = model_request.model->name;
  answer.tier = served_tier(body);
  answer.sources = std::move(search.sources);
  answer.citations = search.citations && !answer.sources.empty();
  const auto choices = static_cast<std::size_t>(get_integer(body, "n").value_or(1));
  for (std::size_t choice = 0; choice < choices; ++choice) {
    auto output = generate(model_request, choice, choices);
    if (!output) return invalid_argument_error(output.error().message);
    answer.output.push_back(std::move(*output));
  }
  // Only older models return log probabilities; the others ignore the parameter.
  if (model_request.model->logprobs && get_bool(body, "logprobs", false)) {
    answer.top_logprobs = static_cast<std::size_t>(get_integer(body, "top_logprobs").value_or(0));
  }
  SVC_TRY(files, checked(make_output_files(call, body, model_request)));
  answer.output_files = std::move(files);
  SVC_TRY(cached, checked(count_cached_tokens(call, body, model_request)));
  account_for(model_request, cached, answer);
  return answer;
}

// total = prompt + completion, so reasoning is part of the completion.
Json chat_usage(const TokenUse& use, std::int64_t images, std::int64_t cost_ticks) {
  const std::int64_t completion = use.completion + use.reasoning;
  return {{"prompt_tokens", use.prompt},
          {"completion_tokens", completion},
          {"total_tokens", use.prompt + completion},
          {"prompt_tokens_details",
           {{"text_tokens", use.prompt - images},
            {"audio_tokens", 0},
            {"image_tokens", images},
            {"cached_tokens", use.cached}}},
          {"completion_tokens_details",
           {{"reasoning_tokens", use.reasoning},
            {"audio_tokens", 0},
            {"accepted_prediction_tokens", 0},
            {"rejected_prediction_tokens", 0}}},
          {"num_sources_used", use.sources},
          {"cost_in_usd_ticks", cost_ticks}};
}

bool wants_usage(const Json& body) {
  return get_bool(copy_of(body, "stream_options"), "include_usage", false);
}

void add_tool_definitions(const Json& body, ModelRequest& model_request,
                          const std::function<void(const Json& tool)>& read) {
  const Json* tools = member(body, "tools");
  if (tools == nullptr) return;
  for (const Json& tool : *tools) read(tool);
  model_request.extra_prompt_tokens += static_cast<std::int64_t>(count_tokens(dump(*tools)));
}

bool includes(const Json& body, sv word) {
  const Json* include = member(body, "include");
  return include != nullptr && std::ranges::find(*include, Json(word)) != include->end();
}

void read_tool_choice(const Json& body, ModelRequest& model_request) {
  model_request.parallel = get_bool(body, "parallel_tool_calls", true);
  const Json* choice = member(body, "tool_choice");
  if (choice == nullptr) return;
  if (choice->is_object()) {
    const Json* function = member(*choice, "function");
    model_request.tool_choice = ToolChoice::Named;
    model_request.chosen = get_string(function == nullptr ? *choice : *function, "name");
  } else if (*choice == "none") {
    model_request.tool_choice = ToolChoice::None;
  } else if (*choice == "required") {
    model_request.tool_choice = ToolChoice::Required;
  }
}

void read_response_format(const Json* format, ModelRequest& model_request) {
  if (format == nullptr) return;
  const std::string type = get_string(*format, "type");
  if (type == "json_object") model_request.response_format = ResponseFormat::JsonObject;
  if (type != "json_schema") return;
  const Json* nested = member(*format, "json_schema");
  model_request.response_format = ResponseFormat::JsonSchema;
  model_request.schema = member(nested == nullptr ? *format : *nested, "schema");
}

sv finish_reason_name(FinishReason finish) {
  if (finish == FinishReason::Length) return "length";
  return finish == FinishReason::ToolCalls ? "tool_calls" : "stop";
}

Json logprobs_of(sv text, std::size_t top) {
  constexpr std::array<sv, 9> k_others = {" the", " a",  ".",   ",",  "\n",
                                          " and", " to", " of", " in"};
  Json content = Json::array();
  for (const Token& token : tokenize(text)) {
    // Between 86 and 95 percent; the alternatives share the rest.
    const double logprob = -0.05 - 0.001 * static_cast<double>(token.id % 100);
    Json entry = token_entry(token.text, logprob);
    Json& alternatives = entry["top_logprobs"] = Json::array();
    if (top > 0) alternatives.push_back(token_entry(token.text, logprob));
    for (std::size_t i = 0; alternatives.size() < top && i < k_others.size(); ++i) {
      if (k_others[i] == token.text) continue;
      alternatives.push_back(token_entry(k_others[i], -3.5 - 0.5 * static_cast<double>(i)));
    }
    content.push_back(std::move(entry));
  }
  return {{"content", std::move(content)}};
}

}  // namespace svc::emulator::text
