// POST /v1/responses/compact: a conversation becomes one item, which the
// emulator reads again when it is given as input.
#include <nlohmann/json.hpp>

#include "emulator/api/text/attach.h"
#include "emulator/api/text/handlers.h"
#include "emulator/api/text/items.h"
#include "emulator/api/text/request_types.h"
#include "emulator/json/json.h"
#include "emulator/model/answer.h"
#include "emulator/model/rules.h"
#include "emulator/model/tokenizer.h"
#include "emulator/state/seal.h"
#include "emulator/state/state.h"

namespace svc::emulator::text {
namespace {

Json compaction_usage(const Ask& ask, const std::string& kept) {
  const PromptTokens prompt = count_prompt(ask);
  const auto input = prompt.text + prompt.images;
  const auto output = static_cast<std::int64_t>(count_tokens(kept));
  return {{"input_tokens", input},
          {"input_tokens_details", {{"cached_tokens", 0}}},
          {"output_tokens", output},
          {"output_tokens_details", {{"reasoning_tokens", 0}}},
          {"total_tokens", input + output},
          // All of them: the item stands for the whole conversation.
          {"dropped_message_count", ask.turns.size()}};
}

}  // namespace

Answer compact(const Call& call) {
  std::optional<Answer> refusal;
  const Json body = read_body(call, request_types()["compact"], refusal);
  if (refusal) return *refusal;
  const Model* model = nullptr;
  if ((refusal = pick_model(call, body, model))) return *refusal;
  Conversation conversation;
  const Json items = normal_items(body["input"], "item_" + call.request_id);
  if ((refusal = add_items(items, conversation))) return *refusal;
  if ((refusal = attach_files(call, conversation.turns))) return *refusal;
  if (conversation.turns.empty()) return refuse_argument("input has no message.");
  const Ask ask{.model = model, .turns = std::move(conversation.turns)};
  if (const auto fault = prompt_fault(ask)) return refuse_argument(*fault);

  const std::string kept = write_turns(ask.turns);
  const std::string id = "cmp_" + call.request_id;
  const Json item = {
      {"type", "compaction"}, {"id", id}, {"encrypted_content", seal(k_compaction_kind, kept)}};
  const Json usage = compaction_usage(ask, kept);
  Answer answer = json_answer(Json{{"id", id},
                                   {"object", "response.compaction"},
                                   {"created_at", call.state->now_ms() / 1000},
                                   {"model", model->name},
                                   {"output", Json::array({item})},
                                   {"usage", usage}});
  answer.tokens = usage["total_tokens"].get<std::int64_t>();
  answer.charges = charges_of(*model, {.prompt = usage["input_tokens"].get<std::int64_t>(),
                                       .completion = usage["output_tokens"].get<std::int64_t>()});
  return answer;
}

}  // namespace svc::emulator::text
