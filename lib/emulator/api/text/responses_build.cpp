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

// Also adds the cost.
Json usage_of(ResponseParts& parts) {
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
  parts.tokens = use.prompt + output;
  parts.charges = charges_of(*parts.ask.model, use);
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

sv status_of(const Said& said) {
  if (!said.failure.empty()) return "failed";
  return is_cut(said) ? "incomplete" : "completed";
}

Json text_options(const Json& body) {
  Json text = value_or(body, "text", Json::object());
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
  add_tool_definitions(body, ask, [&](const Json& tool) {
    const std::string type = text_of(tool, "type");
    if (type == "function") {
      ask.functions.push_back({text_of(tool, "name"), member(tool, "parameters")});
    }
    // A shell is called like a function of that name, and becomes a shell_call.
    if (type == "shell") ask.functions.push_back({"shell", nullptr});
  });
  read_choice(body, ask);
}

/// The earlier responses of a conversation.
struct Past {
  Conversation conversation{};
  std::optional<std::string> instructions{};  ///< the system prompt still in effect
  bool continued = false;
};

// Follows previous_response_id back to the first response.
Checked<Past> load_past(const Call& call, const Json& body) {
  std::vector<StoredResponse> chain;
  for (std::string id = text_of(body, "previous_response_id"); !id.empty();) {
    SVC_TRY(found, find_response(call, id));
    id = text_of(parse_json(found.body), "previous_response_id");
    chain.push_back(std::move(found));
  }
  Past past{.continued = !chain.empty()};
  for (auto stored = chain.rbegin(); stored != chain.rend(); ++stored) {
    const Json response = parse_json(stored->body);
    for (const Json& items : {parse_json(stored->input_items), response["output"]}) {
      if (auto fault = add_items(items, past.conversation)) return *std::move(fault);
    }
    if (const Json* instructions = member(response, "instructions")) {
      past.instructions = instructions->get<std::string>();
    }
  }
  if (member(body, "instructions")) past.instructions = text_of(body, "instructions");
  return past;
}

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

// Returns the model's input for the request after `past`; it points into `body`.
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

}  // namespace

Json response_object(const Json& body, ResponseParts& parts) {
  const Said& said = parts.said;
  const bool failed = !said.failure.empty();
  const Json failure = {{"code", "server_error"}, {"message", said.failure}};
  const Json cut = {{"reason", "max_output_tokens"}};
  return {{"id", parts.id},
          {"object", "response"},
          {"created_at", parts.created},
          {"completed_at", is_cut(said) || failed ? Json(nullptr) : Json(parts.created)},
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
          {"metadata", value_or(body, "metadata", Json::object())},
          {"parallel_tool_calls", flag_of(body, "parallel_tool_calls", true)},
          {"presence_penalty", 0.0},
          {"prompt_cache_key", copy_of(body, "prompt_cache_key")},
          {"reasoning", {{"effort", parts.ask.effort}, {"summary", "detailed"}}},
          {"safety_identifier", nullptr},
          {"service_tier", served_tier(body)},
          {"store", flag_of(body, "store", true)},
          {"temperature", value_or(body, "temperature", 0.7)},
          {"text", text_options(body)},
          {"tool_choice", value_or(body, "tool_choice", "auto")},
          {"tools", value_or(body, "tools", Json::array())},
          {"top_logprobs", integer_of(body, "top_logprobs").value_or(0)},
          {"top_p", value_or(body, "top_p", 0.95)},
          {"truncation", value_or(body, "truncation", "disabled")},
          {"user", copy_of(body, "user")},
          {"usage", usage_of(parts)}};
}

Checked<ResponseParts> read_question(const Call& call, const Json& body, const Json& items,
                                     const Model& model) {
  if (const auto fault = responses_fault(body, model)) return refuse_argument(*fault);
  SVC_TRY(past, load_past(call, body));
  ResponseParts parts{.instructions = past.instructions,
                      .id = call.request_id,
                      .created = call.state->now_ms() / 1000};
  const Ask before{.model = &model, .turns = past.conversation.turns};
  parts.past_tokens = past.continued ? count_prompt(before).text : 0;
  if (auto fault = add_items(items, past.conversation)) return *std::move(fault);
  if (auto fault = attach_files(call, past.conversation.turns)) return *std::move(fault);
  parts.ask = read_responses(body, model, std::move(past));
  if (parts.ask.turns.empty()) return refuse_argument("input has no message.");
  const Json* tools = member(body, "tools");
  const bool other_tools = tools != nullptr && has_server_tool(*tools);
  if (const auto fault = choice_fault(parts.ask, other_tools)) return refuse_argument(*fault);
  if (const auto fault = prompt_fault(parts.ask)) return refuse_argument(*fault);
  return parts;
}

}  // namespace svc::emulator::text
