#include <nlohmann/json.hpp>

#include "emulator/api/text/text.h"

namespace svc::emulator::text {
namespace {

/// The parts of a response: first the model's input, which points into the request's body.
struct ResponseParts {
  ModelRequest model_request{};
  std::int64_t history_tokens = 0;            ///< prompt tokens known from earlier responses
  std::optional<std::string> instructions{};  ///< the system prompt in effect
  ToolResults work{};
  ModelOutput model_output{};
  std::string id{};
  std::int64_t created = 0;  ///< Unix seconds
  std::int64_t tokens = 0;   ///< set by response_object()
  std::vector<Charge> charges{};
};

// They run unless tool_choice excludes them, or the request only returns a tool result.
bool runs_server_tools(const ModelRequest& model_request) {
  const bool open = model_request.tool_choice == ToolChoice::Auto ||
                    model_request.tool_choice == ToolChoice::Required;
  return open && model_request.turns.back().role != "tool";
}

ToolResults work_for(const Request& request, const Json& body, const ModelRequest& model_request,
                     bool& cites) {
  const std::string& question = last_user_text(model_request);
  ToolResults work;
  if (model_request.canned && model_request.canned->citations) {
    work.sources = cited_by_rule(*model_request.canned);
    return work;
  }
  if (is_canned(model_request)) return work;
  if (runs_server_tools(model_request))
    work = run_server_tools(request, body, question, request.request_id);
  if (const Json* parameters = member(body, "search_parameters")) {
    Search search = run_search(*parameters, question);
    cites = search.citations;
    for (Source& source : search.sources) work.sources.push_back(std::move(source));
  }
  return work;
}

Result<void> store(const Request& request, const Json& items, const Json& response) {
  return request.state->store_response({.id = response["id"].get<std::string>(),
                                        .team_id = request.key.team_id,
                                        .created_at = response["created_at"].get<std::int64_t>(),
                                        .body = dump(response),
                                        .input_items = dump(items)});
}

constexpr std::int64_t k_default_limit = 20;
constexpr std::int64_t k_max_items = 100;

Response unknown_field_error(const std::string& id) {
  return not_found_error(fmt::format("Response with id={} not found", id));
}

// Stored responses: retrieval, deletion, and the list of their input.

// Returns a stored response of the call's team.
Checked<StoredResponse> find_response(const Request& request, const std::string& id) {
  return found_or(request.state->find_response(request.key.team_id, id), unknown_field_error(id));
}

Response get_response(const Request& request) {
  SVC_TRY(stored, find_response(request, request.params.at("response_id")));
  return Response{.body = std::move(stored.body)};
}

Response delete_response(const Request& request) {
  const std::string& id = request.params.at("response_id");
  SVC_CHECK(
      found_or(request.state->delete_response(request.key.team_id, id), unknown_field_error(id)));
  return json_response(Json{{"id", id}, {"object", "response"}, {"deleted", true}});
}

Response list_input_items(const Request& request) {
  std::int64_t limit = k_default_limit;
  if (const auto canned = request.query_value("limit")) {
    limit = parse_integer(*canned).value_or(0);
    if (limit < 1 || limit > k_max_items) {
      return invalid_argument_error(
          fmt::format("limit must be an integer between 1 and {}.", k_max_items));
    }
  }
  const std::string order = request.query_value("order").value_or("desc");
  if (order != "asc" && order != "desc")
    return invalid_argument_error("order must be asc or desc.");
  SVC_TRY(stored, find_response(request, request.params.at("response_id")));
  Json items = parse_json(stored.input_items);
  if (order == "desc") std::ranges::reverse(items);
  auto first = items.begin();
  if (const std::string after = request.query_value("after").value_or(""); !after.empty()) {
    first = std::find_if(items.begin(), items.end(),
                         [&](const Json& item) { return get_string(item, "id") == after; });
    if (first == items.end()) {
      return invalid_argument_error(
          fmt::format("after names no input item of this response: {}", excerpt(after)));
    }
    ++first;
  }
  const auto end = first + std::min<std::ptrdiff_t>(limit, items.end() - first);
  const Json page = std::vector<Json>(first, end);
  return json_response(Json{{"object", "list"},
                            {"data", page},
                            {"first_id", page.empty() ? Json(nullptr) : page.front()["id"]},
                            {"last_id", page.empty() ? Json(nullptr) : page.back()["id"]},
                            {"has_more", end != items.end()}});
}

// POST /v1/responses/compact: replaces a conversation by one item, which can be used as input.

Json compaction_usage(const ModelRequest& model_request, const std::string& sealed_turns) {
  const PromptTokens prompt = count_prompt(model_request);
  const auto input = prompt.text + prompt.images;
  const auto output = static_cast<std::int64_t>(count_tokens(sealed_turns));
  return {{"input_tokens", input},
          {"input_tokens_details", {{"cached_tokens", 0}}},
          {"output_tokens", output},
          {"output_tokens_details", {{"reasoning_tokens", 0}}},
          {"total_tokens", input + output},
          // All of them: the item replaces the whole conversation.
          {"dropped_message_count", model_request.turns.size()}};
}

Response compact(const Request& request) {
  SVC_TRY(body, read_body(request, "compact"));
  SVC_TRY(model, pick_model(request, body));
  InputTurns conversation;
  const Json items = normal_items(body["input"], "item_" + request.request_id);
  if (auto refusal = add_items(items, conversation)) return *refusal;
  if (auto refusal = attach_files(request, conversation.turns)) return *refusal;
  if (conversation.turns.empty()) return invalid_argument_error("input has no message.");
  const ModelRequest model_request{.model = model, .turns = std::move(conversation.turns)};
  if (const auto fault = check_prompt(model_request)) return invalid_argument_error(*fault);

  const std::string sealed_turns = serialize_turns(model_request.turns);
  const std::string id = "cmp_" + request.request_id;
  const Json item = {{"type", "compaction"},
                     {"id", id},
                     {"encrypted_content", seal(k_compaction_kind, sealed_turns)}};
  const Json usage = compaction_usage(model_request, sealed_turns);
  Response answer = json_response(Json{{"id", id},
                                       {"object", "response.compaction"},
                                       {"created_at", request.state->now_ms() / 1000},
                                       {"model", model->name},
                                       {"output", Json::array({item})},
                                       {"usage", usage}});
  answer.tokens = usage["total_tokens"].get<std::int64_t>();
  answer.charges = charges_of(*model, {.prompt = usage["input_tokens"].get<std::int64_t>(),
                                       .completion = usage["output_tokens"].get<std::int64_t>()});
  return answer;
}

// Reads a request to POST /v1/responses, and builds the response object.

bool is_truncated(const ModelOutput& model_output) {
  return model_output.finish == FinishReason::Length;
}

// Only reasoning: the limit was reached before the first word.
bool only_reasoning(const ModelOutput& model_output) {
  return is_truncated(model_output) && model_output.text.empty() && model_output.calls.empty() &&
         !model_output.reasoning.empty();
}

Json reasoning_item(const Json& body, const ResponseParts& parts) {
  const Json summary = {{"type", "summary_text"}, {"text", parts.model_output.reasoning}};
  Json item = {{"id", "rs_" + parts.id},
               {"type", "reasoning"},
               {"summary", Json::array({summary})},
               {"status", only_reasoning(parts.model_output) ? "incomplete" : "completed"}};
  if (includes(body, "reasoning.encrypted_content")) {
    item["encrypted_content"] = seal("reasoning", parts.model_output.reasoning);
  }
  return item;
}

Json annotations_of(const ResponseParts& parts) {
  Json list = Json::array();
  for (const Citation& citation : parts.model_output.citations) {
    const Source& source = parts.model_request.sources[citation.source];
    Json annotation = {{"type", "url_citation"}, {"url", source.url}, {"title", source.title}};
    if (citation.end > citation.begin) {
      annotation["start_index"] = citation.begin;
      annotation["end_index"] = citation.end;
    }
    list.push_back(std::move(annotation));
  }
  return list;
}

Json message_item(const Json& body, const ResponseParts& parts) {
  Json part;
  if (!parts.model_output.refusal.empty()) {
    part = {{"type", "refusal"}, {"refusal", parts.model_output.refusal}};
  } else {
    const bool wanted = parts.model_request.model->logprobs && get_bool(body, "logprobs", false);
    const auto top = static_cast<std::size_t>(get_integer(body, "top_logprobs").value_or(0));
    part = {
        {"type", "output_text"},
        {"text", parts.model_output.text},
        {"logprobs", wanted ? logprobs_of(parts.model_output.text, top)["content"] : Json::array()},
        {"annotations", annotations_of(parts)}};
  }
  return {{"id", "msg_" + parts.id},
          {"type", "message"},
          {"role", "assistant"},
          {"status", is_truncated(parts.model_output) ? "incomplete" : "completed"},
          {"content", Json::array({part})}};
}

// A call for the client to run: a function or the shell.
Json call_item(const Json& body, const ResponseParts& parts, std::size_t index) {
  const FunctionCall& call = parts.model_output.calls[index];
  const std::string call_id = fmt::format("call_{}_{}", parts.id, index);
  const Json* tools = member(body, "tools");  // a rule may call any tool, declared or not
  const bool is_function = call.name != "shell" || tools == nullptr ||
                           std::ranges::none_of(*tools, [](const Json& tool) {
                             return get_string(tool, "type") == "shell";
                           });
  Json item = {{"id", fmt::format("{}_{}_{}", is_function ? "fc" : "sh", parts.id, index)},
               {"type", is_function ? "function_call" : "shell_call"},
               {"call_id", call_id}};
  if (is_function) {
    item["name"] = call.name;
    item["arguments"] = call.arguments;
  } else {
    item["action"] = is_canned(parts.model_request)
                         ? parse_json(call.arguments)
                         : shell_action(last_user_text(parts.model_request));
  }
  item["status"] = "completed";
  return item;
}

Json output_of(const Json& body, const ResponseParts& parts) {
  Json output = Json::array();
  const ModelOutput& model_output = parts.model_output;
  if (!model_output.reasoning.empty()) output.push_back(reasoning_item(body, parts));
  for (const Json& item : parts.work.items) output.push_back(item);
  for (std::size_t i = 0; i < model_output.calls.size(); ++i)
    output.push_back(call_item(body, parts, i));
  const bool speaks =
      model_output.calls.empty() && model_output.failure.empty() && !only_reasoning(model_output);
  if (speaks) output.push_back(message_item(body, parts));
  return output;
}

// Also adds the cost.
Json usage_of(ResponseParts& parts) {
  const PromptTokens prompt = count_prompt(parts.model_request);
  const auto context_input = prompt.text + prompt.images + parts.work.tokens;
  TokenUse use{.prompt = context_input,
               .cached = std::min(parts.history_tokens, context_input),
               .completion = parts.model_output.text_tokens,
               .reasoning = parts.model_output.reasoning_tokens,
               .sources = static_cast<std::int64_t>(parts.work.sources.size())};
  if (!parts.work.items.empty()) {
    // Server tools take a separate turn: the prompt is read twice, the second time from the cache.
    use.cached += prompt.text + prompt.images;
    use.prompt += prompt.text + prompt.images;
  }
  const auto output = use.completion + use.reasoning;
  parts.tokens = use.prompt + output;
  parts.charges = charges_of(*parts.model_request.model, use);
  const auto ticks = total_ticks(parts.charges);
  return {{"input_tokens", use.prompt},
          {"input_tokens_details", {{"cached_tokens", use.cached}}},
          {"output_tokens", output},
          {"output_tokens_details", {{"reasoning_tokens", use.reasoning}}},
          {"total_tokens", parts.tokens},
          {"num_sources_used", use.sources},
          {"num_server_side_tools_used", parts.work.items.size()},
          {"cost_in_usd_ticks", ticks},
          {"cost_in_nano_usd", ticks / 10},
          {"context_details", {{"input_tokens", context_input}, {"output_tokens", output}}},
          {"server_side_tool_usage_details", tool_usage(parts.work)}};
}

sv status_of(const ModelOutput& model_output) {
  if (!model_output.failure.empty()) return "failed";
  return is_truncated(model_output) ? "incomplete" : "completed";
}

Json text_options(const Json& body) {
  Json text = value_or(body, "text", Json::object());
  if (member(text, "format") == nullptr) text["format"] = {{"type", "text"}};
  return text;
}

// reasoning_effort is used only if reasoning is unset.
std::string effort_of(const Json& body) {
  if (const Json* reasoning = member(body, "reasoning")) return get_string(*reasoning, "effort");
  return get_string(body, "reasoning_effort");
}

std::optional<std::string> check_conflicts(const Json& body) {
  if (get_bool(body, "background", false)) return "Argument not supported: background";
  if (member(body, "instructions") && member(body, "previous_response_id")) {
    return "instructions cannot be combined with previous_response_id: the system prompt of the "
           "previous response is used.";
  }
  return std::nullopt;
}

void read_responses_tools(const Json& body, ModelRequest& model_request) {
  add_tool_definitions(body, model_request, [&](const Json& tool) {
    const std::string type = get_string(tool, "type");
    if (type == "function") {
      model_request.functions.push_back({get_string(tool, "name"), member(tool, "parameters")});
    }
    // A shell is called like a function of that name, and becomes a shell_call.
    if (type == "shell") model_request.functions.push_back({"shell", nullptr});
  });
  read_tool_choice(body, model_request);
}

/// The earlier responses of a conversation.
struct History {
  InputTurns conversation{};
  std::optional<std::string> instructions{};  ///< the system prompt still in effect
  bool continued = false;
};

// Follows previous_response_id back to the first response.
Checked<History> load_history(const Request& call, const Json& body) {
  std::vector<StoredResponse> chain;
  for (std::string id = get_string(body, "previous_response_id"); !id.empty();) {
    SVC_TRY(found, find_response(call, id));
    id = get_string(parse_json(found.body), "previous_response_id");
    chain.push_back(std::move(found));
  }
  History history{.continued = !chain.empty()};
  for (auto stored = chain.rbegin(); stored != chain.rend(); ++stored) {
    const Json response = parse_json(stored->body);
    for (const Json& items : {parse_json(stored->input_items), response["output"]}) {
      if (auto error = add_items(items, history.conversation)) return *std::move(error);
    }
    if (const Json* instructions = member(response, "instructions")) {
      history.instructions = instructions->get<std::string>();
    }
  }
  if (member(body, "instructions")) history.instructions = get_string(body, "instructions");
  return history;
}

std::optional<std::string> check_responses_body(const Json& body, const Model& model) {
  const bool has_reasoning = member(body, "reasoning") != nullptr;
  for (auto& error : {check_conflicts(body), check_common_fields(body),
                      check_effort(model, has_reasoning ? "reasoning.effort" : "reasoning_effort",
                                   effort_of(body))}) {
    if (error) return error;
  }
  const Json* tools = member(body, "tools");
  return tools == nullptr ? std::nullopt : check_tools(*tools);
}

// Returns the model's input for the request after `history`; it points into `body`.
ModelRequest read_responses(const Json& body, const Model& model, History history) {
  ModelRequest model_request{.model = &model, .turns = std::move(history.conversation.turns)};
  if (history.instructions) {
    model_request.turns.insert(model_request.turns.begin(),
                               Turn{.role = "system", .text = *history.instructions});
  }
  read_responses_tools(body, model_request);
  const Json* text = member(body, "text");
  read_response_format(text == nullptr ? nullptr : member(*text, "format"), model_request);
  model_request.max_tokens = get_integer(body, "max_output_tokens").value_or(k_default_max_tokens);
  model_request.max_counts_reasoning = true;
  const std::string effort = effort_of(body);
  model_request.effort = effort.empty() ? "medium" : effort;  // as recorded
  model_request.inline_citations = !includes(body, "no_inline_citations");
  return model_request;
}

// Checks a request whose types are valid, and reads it together with the conversation that it
// continues. Returns 404 if one of its responses is not stored or no longer stored.
Checked<ResponseParts> read_question(const Request& call, const Json& body, const Json& items,
                                     const Model& model) {
  if (const auto error = check_responses_body(body, model)) return invalid_argument_error(*error);
  SVC_TRY(history, load_history(call, body));
  ResponseParts parts{.instructions = history.instructions,
                      .id = call.request_id,
                      .created = call.state->now_ms() / 1000};
  const ModelRequest before{.model = &model, .turns = history.conversation.turns};
  parts.history_tokens = history.continued ? count_prompt(before).text : 0;
  if (auto error = add_items(items, history.conversation)) return *std::move(error);
  if (auto error = attach_files(call, history.conversation.turns)) return *std::move(error);
  parts.model_request = read_responses(body, model, std::move(history));
  if (parts.model_request.turns.empty()) return invalid_argument_error("input has no message.");
  const Json* tools = member(body, "tools");
  const bool other_tools = tools != nullptr && has_server_tool(*tools);
  if (const auto error = check_tool_choice(parts.model_request, other_tools))
    return invalid_argument_error(*error);
  if (const auto error = check_prompt(parts.model_request)) return invalid_argument_error(*error);
  return parts;
}

// Returns the whole response object, with defaults for unset fields; adds the cost to `parts`.
Json response_object(const Json& body, ResponseParts& parts) {
  const ModelOutput& model_output = parts.model_output;
  const bool failed = !model_output.failure.empty();
  const Json failure = {{"code", "server_error"}, {"message", model_output.failure}};
  const Json cut = {{"reason", "max_output_tokens"}};
  return {
      {"id", parts.id},
      {"object", "response"},
      {"created_at", parts.created},
      {"completed_at", is_truncated(model_output) || failed ? Json(nullptr) : Json(parts.created)},
      {"status", status_of(model_output)},
      {"error", failed ? failure : Json(nullptr)},
      {"incomplete_details", !failed && is_truncated(model_output) ? cut : Json(nullptr)},
      {"model", parts.model_request.model->name},
      {"output", output_of(body, parts)},
      {"previous_response_id", copy_of(body, "previous_response_id")},
      {"instructions", or_null(parts.instructions)},
      {"background", false},
      {"frequency_penalty", 0.0},
      {"max_output_tokens", copy_of(body, "max_output_tokens")},
      {"max_tool_calls", nullptr},
      {"metadata", value_or(body, "metadata", Json::object())},
      {"parallel_tool_calls", get_bool(body, "parallel_tool_calls", true)},
      {"presence_penalty", 0.0},
      {"prompt_cache_key", copy_of(body, "prompt_cache_key")},
      {"reasoning", {{"effort", parts.model_request.effort}, {"summary", "detailed"}}},
      {"safety_identifier", nullptr},
      {"service_tier", served_tier(body)},
      {"store", get_bool(body, "store", true)},
      {"temperature", value_or(body, "temperature", 0.7)},
      {"text", text_options(body)},
      {"tool_choice", value_or(body, "tool_choice", "auto")},
      {"tools", value_or(body, "tools", Json::array())},
      {"top_logprobs", get_integer(body, "top_logprobs").value_or(0)},
      {"top_p", value_or(body, "top_p", 0.95)},
      {"truncation", value_or(body, "truncation", "disabled")},
      {"user", copy_of(body, "user")},
      {"usage", usage_of(parts)}};
}

// A response as events, derived from the finished response: those that would have built it.

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

void emit_part(EventBuilder& builder, const Json& fields, const Json& part) {
  const bool refusal = get_string(part, "type") == "refusal";
  const sv name = refusal ? "refusal" : "text";
  const std::string event = refusal ? "response.refusal" : "response.output_text";
  const std::string text = get_string(part, name);
  Json empty = with(part, name, "");
  for (const char* list : {"annotations", "logprobs"}) {
    if (!refusal) empty[list] = Json::array();
  }
  builder.once("response.content_part.added", with(fields, "part", empty));
  builder.deltas(event + ".delta", fields, text, builder.cuts);
  const Json annotations = value_or(part, "annotations", Json::array());
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    Json members = with(fields, "annotation_index", i);
    builder.once("response.output_text.annotation.added",
                 with(std::move(members), "annotation", annotations[i]));
  }
  builder.once(event + ".done", with(fields, name, text));
  builder.once("response.content_part.done", with(fields, "part", part));
}

void emit_message(EventBuilder& builder, const Json& fields, const Json& item) {
  const Json& content = item["content"];
  for (std::size_t i = 0; i < content.size(); ++i) {
    emit_part(builder, with(fields, "content_index", i), content[i]);
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

// Returns `response` as a stream of events.
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

Response create_response(const Request& request) {
  SVC_TRY(body, read_body(request, "responses"));
  SVC_TRY(model, pick_model(request, body));
  const Json items = normal_items(body["input"], "item_" + request.request_id);
  SVC_TRY(parts, read_question(request, body, items, *model));
  ModelRequest& model_request = parts.model_request;
  if (auto canned = take_canned_answer(request, "responses", body, model_request))
    return *std::move(canned);
  bool cites = true;
  parts.work = work_for(request, body, model_request, cites);
  if (cites) model_request.sources = parts.work.sources;
  auto model_output = generate(model_request, 0, 1);
  if (!model_output) return invalid_argument_error(model_output.error().message);
  parts.model_output = *std::move(model_output);
  Json response = response_object(body, parts);
  if (model_request.canned) patch_canned(*model_request.canned, response);
  if (get_bool(body, "store", true)) SVC_CHECK(checked(store(request, items, response)));
  Response answer =
      get_bool(body, "stream", false)
          ? stream_response(response, chunk_delay(request, k_piece_delay), parts.model_output.cuts)
          : json_response(response);
  answer.tokens = parts.tokens;
  answer.charges = std::move(parts.charges);
  finish_canned(model_request.canned, answer);
  return answer;
}

}  // namespace
}  // namespace svc::emulator::text

auto svc::emulator::text_routes() -> std::vector<Route> {
  constexpr const char* acl = "chat";
  return {
      {"POST", "/v1/chat/completions", text::create_chat, acl},
      {"GET", "/v1/chat/deferred-completion/{request_id}", text::fetch_deferred, acl},
      {"POST", "/v1/responses", text::create_response, acl},
      {"POST", "/v1/responses/compact", text::compact, acl},
      {"GET", "/v1/responses/{response_id}", text::get_response, acl},
      {"DELETE", "/v1/responses/{response_id}", text::delete_response, acl},
      {"GET", "/v1/responses/{response_id}/input_items", text::list_input_items, acl},
  };
}
