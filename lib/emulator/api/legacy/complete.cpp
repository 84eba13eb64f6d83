// POST /v1/complete, and what the older operations share.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/api/legacy/handlers.h"
#include "emulator/json/json.h"
#include "emulator/model/answer.h"
#include "emulator/model/given.h"
#include "emulator/model/rules.h"
#include "emulator/model/tokenizer.h"

namespace svc::emulator::legacy {
namespace {

using namespace svc::emulator::text;

constexpr std::size_t k_most_stops = 4;

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

std::optional<std::string> complete_fault(const Json& body, const Model& model) {
  if (flag_of(body, "stream", false)) return "Argument not supported: stream";
  if (text_of(body, "prompt").empty()) return "prompt cannot be empty.";
  if (integer_of(body, "max_tokens_to_sample") == 0)
    return "max_tokens_to_sample must be at least 1.";
  if (auto fault = stop_fault(body, model, "stop_sequences")) return fault;
  return common_fault(body);
}

}  // namespace

std::optional<std::string> stop_fault(const Json& body, const Model& model, sv name) {
  const auto stops = stops_of(body);
  if (stops.size() > k_most_stops) {
    return fmt::format("Too many stop sequences: {} given, at most {} are allowed.", stops.size(),
                       k_most_stops);
  }
  if (stops.empty() || !model.reasoning) return std::nullopt;
  return fmt::format("Model {} does not support parameter {}.", model.name, name);
}

std::optional<std::string> cut_at_stop(const Json& body, Said& said) {
  std::size_t first = std::string::npos;
  std::optional<std::string> found;
  for (const std::string& stop : stops_of(body)) {
    const std::size_t at = stop.empty() ? std::string::npos : said.text.find(stop);
    if (at >= first) continue;
    first = at;
    found = stop;
  }
  if (!found) return std::nullopt;
  said.text.resize(first);
  said.finish = Finish::Stop;
  said.text_tokens = static_cast<std::int64_t>(count_tokens(said.text));
  return found;
}

Answer complete(const Call& call) {
  std::optional<Answer> refusal;
  const Json body = read_body(call, request_types()["complete"], refusal);
  if (refusal) return *refusal;
  const Model* model = nullptr;
  if ((refusal = pick_model(call, body, model))) return *refusal;
  if (const auto fault = complete_fault(body, *model)) return refuse_argument(*fault);
  Ask ask{.model = model};
  ask.turns.push_back({.role = "user", .text = text_of(body, "prompt")});
  ask.max_tokens = integer_of(body, "max_tokens_to_sample").value_or(k_default_max_tokens);
  if (const auto fault = prompt_fault(ask)) return refuse_argument(*fault);
  if (auto given = take_given(call, "complete", body, ask)) return *std::move(given);
  auto said = say(ask, 0, 1);
  if (!said) return refuse_argument(said.error().message);
  if (!said->failure.empty()) {
    return refuse(503, "The service is currently unavailable", said->failure);
  }
  const auto stop = cut_at_stop(body, *said);
  const char* reason = said->finish == Finish::Length ? "max_tokens" : "end_turn";
  Answer answer =
      json_answer(Json{{"type", "completion"},
                       {"id", "compl_" + call.request_id},
                       {"completion", said->refusal.empty() ? said->text : said->refusal},
                       {"model", model->name},
                       {"stop_reason", stop ? "stop_sequence" : reason}});
  bill(ask, *said, answer);
  return answer;
}

void bill(const Ask& ask, const Said& said, Answer& answer) {
  const PromptTokens prompt = count_prompt(ask);
  const TokenUse use{.prompt = prompt.text + prompt.images,
                     .completion = said.text_tokens,
                     .reasoning = said.reasoning_tokens};
  answer.tokens = use.prompt + use.completion + use.reasoning;
  answer.charges = charges_of(*ask.model, use);
  add_given_headers(ask, answer);
}

}  // namespace svc::emulator::legacy
