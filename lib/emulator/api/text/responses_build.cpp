// Reads a request to POST /v1/responses, and builds the response object.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/api/text/chat.h"
#include "emulator/api/text/responses.h"
#include "emulator/model/answer.h"
#include "emulator/model/rules.h"
#include "emulator/state/seal.h"

namespace svc::emulator::text {
namespace {

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
  const Json& input = *member(body, "input");
  if (input.empty() || input == Json(std::string())) return "input cannot be empty.";
  for (const sv name : {sv("max_output_tokens"), sv("max_turns"), sv("top_k")}) {
    if (get_integer(body, name) == 0) return fmt::format("{} must be at least 1.", name);
  }
  return check_range(body, "min_p", 0, 1);
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
  Conversation conversation{};
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

}  // namespace

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

}  // namespace svc::emulator::text
