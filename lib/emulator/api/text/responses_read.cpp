// Reading a Responses request: its rules and its meaning.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/api/text/responses.h"
#include "emulator/model/rules.h"
#include "emulator/model/tokenizer.h"
#include "emulator/state/state.h"

namespace svc::emulator::text {
namespace {

// reasoning_effort is read only when reasoning is unset.
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
  ask.parallel = flag_of(body, "parallel_tool_calls", true);
  const Json* choice = member(body, "tool_choice");
  if (choice == nullptr) return;
  if (choice->is_object()) {
    ask.choose = Choose::Named;
    ask.chosen = text_of(*choice, "name");
  } else if (*choice == "none") {
    ask.choose = Choose::None;
  } else if (*choice == "required") {
    ask.choose = Choose::Required;
  }
}

void read_responses_format(const Json& body, Ask& ask) {
  const Json* text = member(body, "text");
  const Json* format = text == nullptr ? nullptr : member(*text, "format");
  if (format == nullptr) return;
  const std::string type = text_of(*format, "type");
  if (type == "json_object") ask.form = Form::JsonObject;
  if (type == "json_schema") {
    ask.form = Form::JsonSchema;
    ask.schema = member(*format, "schema");
  }
}

bool includes(const Json& body, sv word) {
  const Json* include = member(body, "include");
  return include != nullptr && std::ranges::find(*include, Json(word)) != include->end();
}

// The stored responses that lead to `id`, the newest first.
std::optional<Answer> load_chain(const Call& call, std::string id,
                                 std::vector<StoredResponse>& chain) {
  while (!id.empty()) {
    auto found = call.state->find_response(call.key.team_id, id);
    if (!found) return refuse_internal(found.error());
    if (!*found) return refuse_missing(fmt::format("Response with id={} not found", id));
    id = text_of(parse_json((*found)->body), "previous_response_id");
    chain.push_back(std::move(**found));
  }
  return std::nullopt;
}

}  // namespace

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
  read_responses_format(body, ask);
  ask.max_tokens = integer_of(body, "max_output_tokens").value_or(k_default_max_tokens);
  ask.max_counts_reasoning = true;
  const std::string effort = effort_of(body);
  ask.effort = effort.empty() ? "medium" : effort;  // as recorded
  ask.inline_citations = !includes(body, "no_inline_citations");
  return ask;
}

}  // namespace svc::emulator::text
