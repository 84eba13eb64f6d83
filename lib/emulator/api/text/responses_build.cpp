// Builds the response object.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/api/text/chat.h"
#include "emulator/api/text/responses.h"
#include "emulator/model/answer.h"
#include "emulator/model/rules.h"
#include "emulator/model/tokenizer.h"
#include "emulator/state/seal.h"
#include "emulator/state/state.h"

namespace svc::emulator::text {
namespace {

bool is_cut(const Said& said) {
  return said.finish == Finish::Length;
}

// Only reasoning: the limit was reached before the first word.
bool only_thought(const Said& said) {
  return is_cut(said) && said.text.empty() && said.calls.empty() && !said.reasoning.empty();
}

Json reasoning_item(const Json& body, const ResponseParts& parts) {
  const Json summary = {{"type", "summary_text"}, {"text", parts.said.reasoning}};
  Json item = {{"id", "rs_" + parts.id},
               {"type", "reasoning"},
               {"summary", Json::array({summary})},
               {"status", only_thought(parts.said) ? "incomplete" : "completed"}};
  if (includes(body, "reasoning.encrypted_content")) {
    item["encrypted_content"] = seal("reasoning", parts.said.reasoning);
  }
  return item;
}

Json annotations_of(const ResponseParts& parts) {
  Json list = Json::array();
  for (const Citation& citation : parts.said.citations) {
    const Source& source = parts.ask.sources[citation.source];
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
  if (!parts.said.refusal.empty()) {
    part = {{"type", "refusal"}, {"refusal", parts.said.refusal}};
  } else {
    const bool wanted = parts.ask.model->logprobs && flag_of(body, "logprobs", false);
    const auto top = static_cast<std::size_t>(integer_of(body, "top_logprobs").value_or(0));
    part = {{"type", "output_text"},
            {"text", parts.said.text},
            {"logprobs", wanted ? logprobs_of(parts.said.text, top)["content"] : Json::array()},
            {"annotations", annotations_of(parts)}};
  }
  return {{"id", "msg_" + parts.id},
          {"type", "message"},
          {"role", "assistant"},
          {"status", is_cut(parts.said) ? "incomplete" : "completed"},
          {"content", Json::array({part})}};
}

// A call for the client to run: a function or the shell.
Json call_item(const Json& body, const ResponseParts& parts, std::size_t index) {
  const FunctionCall& call = parts.said.calls[index];
  const std::string call_id = fmt::format("call_{}_{}", parts.id, index);
  const Json* tools = member(body, "tools");  // a rule may call any tool, declared or not
  const bool is_function = call.name != "shell" || tools == nullptr ||
                           std::ranges::none_of(*tools, [](const Json& tool) {
                             return text_of(tool, "type") == "shell";
                           });
  Json item = {{"id", fmt::format("{}_{}_{}", is_function ? "fc" : "sh", parts.id, index)},
               {"type", is_function ? "function_call" : "shell_call"},
               {"call_id", call_id}};
  if (is_function) {
    item["name"] = call.name;
    item["arguments"] = call.arguments;
  } else {
    item["action"] =
        parts.ask.given ? parse_json(call.arguments) : shell_action(last_user_text(parts.ask));
  }
  item["status"] = "completed";
  return item;
}

Json output_of(const Json& body, const ResponseParts& parts) {
  Json output = Json::array();
  const Said& said = parts.said;
  if (!said.reasoning.empty()) output.push_back(reasoning_item(body, parts));
  for (const Json& item : parts.work.items) output.push_back(item);
  for (std::size_t i = 0; i < said.calls.size(); ++i) output.push_back(call_item(body, parts, i));
  const bool speaks = said.calls.empty() && said.failure.empty() && !only_thought(said);
  if (speaks) output.push_back(message_item(body, parts));
  return output;
}

Json usage_of(const ResponseParts& parts, ResponseUse& used) {
  const PromptTokens prompt = count_prompt(parts.ask);
  const auto context_input = prompt.text + prompt.images + parts.work.tokens;
  TokenUse use{.prompt = context_input,
               .cached = std::min(parts.past_tokens, context_input),
               .completion = parts.said.text_tokens,
               .reasoning = parts.said.reasoning_tokens,
               .sources = static_cast<std::int64_t>(parts.work.sources.size())};
  if (!parts.work.items.empty()) {
    // Server tools take a separate turn: the prompt is read twice, the second time from the cache.
    use.cached += prompt.text + prompt.images;
    use.prompt += prompt.text + prompt.images;
  }
  const auto output = use.completion + use.reasoning;
  used = {use.prompt + output, charges_of(*parts.ask.model, use)};
  const auto ticks = total_ticks(used.charges);
  return {{"input_tokens", use.prompt},
          {"input_tokens_details", {{"cached_tokens", use.cached}}},
          {"output_tokens", output},
          {"output_tokens_details", {{"reasoning_tokens", use.reasoning}}},
          {"total_tokens", used.tokens},
          {"num_sources_used", use.sources},
          {"num_server_side_tools_used", parts.work.items.size()},
          {"cost_in_usd_ticks", ticks},
          {"cost_in_nano_usd", ticks / 10},
          {"context_details", {{"input_tokens", context_input}, {"output_tokens", output}}},
          {"server_side_tool_usage_details", tool_usage(parts.work)}};
}

sv status_of(const Said& said) {
  if (!said.failure.empty()) return "failed";
  return is_cut(said) ? "incomplete" : "completed";
}

// Returns the request's field, or the service's default.
Json echo(const Json& body, sv name, const Json& fallback) {
  const Json* value = member(body, name);
  return value == nullptr ? fallback : *value;
}

Json echo_text(const Json& body) {
  Json text = echo(body, "text", Json::object());
  if (member(text, "format") == nullptr) text["format"] = {{"type", "text"}};
  return text;
}

// reasoning_effort is used only if reasoning is unset.
std::string effort_of(const Json& body) {
  if (const Json* reasoning = member(body, "reasoning")) return text_of(*reasoning, "effort");
  return text_of(body, "reasoning_effort");
}

std::optional<std::string> conflict_fault(const Json& body) {
  if (flag_of(body, "background", false)) return "Argument not supported: background";
  if (member(body, "instructions") && member(body, "previous_response_id")) {
    return "instructions cannot be combined with previous_response_id: the system prompt of the "
           "previous response is used.";
  }
  const Json& input = *member(body, "input");
  if (input.empty() || input == Json(std::string())) return "input cannot be empty.";
  for (const sv name : {sv("max_output_tokens"), sv("max_turns"), sv("top_k")}) {
    if (integer_of(body, name) == 0) return fmt::format("{} must be at least 1.", name);
  }
  return range_fault(body, "min_p", 0, 1);
}

void read_responses_tools(const Json& body, Ask& ask) {
  if (const Json* tools = member(body, "tools")) {
    for (const Json& tool : *tools) {
      const std::string type = text_of(tool, "type");
      if (type == "function") {
        ask.functions.push_back({text_of(tool, "name"), member(tool, "parameters")});
      }
      // A shell is called like a function of that name, and becomes a shell_call.
      if (type == "shell") ask.functions.push_back({"shell", nullptr});
    }
    ask.extra_prompt_tokens += static_cast<std::int64_t>(count_tokens(dump(*tools)));
  }
  read_choice(body, ask);
}

// Loads the stored responses that lead to `id`, the newest first.
std::optional<Answer> load_chain(const Call& call, std::string id,
                                 std::vector<StoredResponse>& chain) {
  while (!id.empty()) {
    SVC_TRY(found, found_or(call.state->find_response(call.key.team_id, id),
                            refuse_missing(fmt::format("Response with id={} not found", id))));
    id = text_of(parse_json(found.body), "previous_response_id");
    chain.push_back(std::move(found));
  }
  return std::nullopt;
}

}  // namespace

Json response_object(const Json& body, const ResponseParts& parts, ResponseUse& used) {
  const Said& said = parts.said;
  const bool failed = !said.failure.empty();
  const Json failure = {{"code", "server_error"}, {"message", said.failure}};
  const Json cut = {{"reason", "max_output_tokens"}};
  return {{"id", parts.id},
          {"object", "response"},
          {"created_at", parts.created},
          {"completed_at",
           said.finish == Finish::Length || failed ? Json(nullptr) : Json(parts.created)},
          {"status", status_of(said)},
          {"error", failed ? failure : Json(nullptr)},
          {"incomplete_details", !failed && is_cut(said) ? cut : Json(nullptr)},
          {"model", parts.ask.model->name},
          {"output", output_of(body, parts)},
          {"previous_response_id", copy_of(body, "previous_response_id")},
          {"instructions", or_null(parts.instructions)},
          {"background", false},
          {"frequency_penalty", 0.0},
          {"max_output_tokens", copy_of(body, "max_output_tokens")},
          {"max_tool_calls", nullptr},
          {"metadata", echo(body, "metadata", Json::object())},
          {"parallel_tool_calls", flag_of(body, "parallel_tool_calls", true)},
          {"presence_penalty", 0.0},
          {"prompt_cache_key", copy_of(body, "prompt_cache_key")},
          {"reasoning", {{"effort", parts.ask.effort}, {"summary", "detailed"}}},
          {"safety_identifier", nullptr},
          {"service_tier", served_tier(body)},
          {"store", flag_of(body, "store", true)},
          {"temperature", echo(body, "temperature", 0.7)},
          {"text", echo_text(body)},
          {"tool_choice", echo(body, "tool_choice", "auto")},
          {"tools", echo(body, "tools", Json::array())},
          {"top_logprobs", integer_of(body, "top_logprobs").value_or(0)},
          {"top_p", echo(body, "top_p", 0.95)},
          {"truncation", echo(body, "truncation", "disabled")},
          {"user", copy_of(body, "user")},
          {"usage", usage_of(parts, used)}};
}

// Parsing and validation of a Responses request.

std::optional<std::string> responses_fault(const Json& body, const Model& model) {
  const bool has_reasoning = member(body, "reasoning") != nullptr;
  for (auto& fault : {conflict_fault(body), common_fault(body),
                      effort_fault(model, has_reasoning ? "reasoning.effort" : "reasoning_effort",
                                   effort_of(body))}) {
    if (fault) return fault;
  }
  const Json* tools = member(body, "tools");
  return tools == nullptr ? std::nullopt : tools_fault(*tools);
}

std::optional<Answer> load_past(const Call& call, const Json& body, Past& past) {
  std::vector<StoredResponse> chain;
  if (auto fault = load_chain(call, text_of(body, "previous_response_id"), chain)) return fault;
  for (auto stored = chain.rbegin(); stored != chain.rend(); ++stored) {
    const Json response = parse_json(stored->body);
    if (auto fault = add_items(parse_json(stored->input_items), past.conversation)) return fault;
    if (auto fault = add_items(response["output"], past.conversation)) return fault;
    if (const Json* instructions = member(response, "instructions")) {
      past.instructions = instructions->get<std::string>();
    }
    past.continued = true;
  }
  if (member(body, "instructions")) past.instructions = text_of(body, "instructions");
  return std::nullopt;
}

Ask read_responses(const Json& body, const Model& model, Past past) {
  Ask ask{.model = &model, .turns = std::move(past.conversation.turns)};
  if (past.instructions) {
    ask.turns.insert(ask.turns.begin(), Turn{.role = "system", .text = *past.instructions});
  }
  read_responses_tools(body, ask);
  const Json* text = member(body, "text");
  read_form(text == nullptr ? nullptr : member(*text, "format"), ask);
  ask.max_tokens = integer_of(body, "max_output_tokens").value_or(k_default_max_tokens);
  ask.max_counts_reasoning = true;
  const std::string effort = effort_of(body);
  ask.effort = effort.empty() ? "medium" : effort;  // as recorded
  ask.inline_citations = !includes(body, "no_inline_citations");
  return ask;
}

}  // namespace svc::emulator::text
