// POST /v1/messages: the answer as one message.
#include "emulator/api/legacy/messages.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/api/legacy/handlers.h"
#include "emulator/model/answer.h"
#include "emulator/model/given.h"
#include "emulator/model/rules.h"
#include "emulator/state/seal.h"

namespace svc::emulator::legacy {
namespace {

using namespace svc::emulator::text;

const char* stop_reason(const Said& said, bool at_stop) {
  if (at_stop) return "stop_sequence";
  if (said.finish == Finish::Length) return "max_tokens";
  return said.finish == Finish::ToolCalls ? "tool_use" : "end_turn";
}

Json content_of(const Said& said, const std::string& id) {
  Json content = Json::array();
  if (!said.reasoning.empty()) {
    content.push_back(
        {{"type", "thinking"}, {"thinking", said.reasoning}, {"signature", seal("thinking", id)}});
  }
  const std::string& text = said.refusal.empty() ? said.text : said.refusal;
  if (!text.empty()) content.push_back({{"type", "text"}, {"text", text}});
  for (std::size_t i = 0; i < said.calls.size(); ++i) {
    content.push_back({{"type", "tool_use"},
                       {"id", fmt::format("toolu_{}_{}", id, i)},
                       {"name", said.calls[i].name},
                       {"input", parse_json(said.calls[i].arguments)}});
  }
  return content;
}

Json message_of(const Call& call, const Ask& ask, const Said& said,
                const std::optional<std::string>& stop) {
  const PromptTokens prompt = count_prompt(ask);
  return {{"id", "msg_" + call.request_id},
          {"type", "message"},
          {"role", "assistant"},
          {"model", ask.model->name},
          {"content", content_of(said, call.request_id)},
          {"stop_reason", stop_reason(said, stop.has_value())},
          {"stop_sequence", stop ? Json(*stop) : Json(nullptr)},
          {"usage",
           {{"input_tokens", prompt.text + prompt.images},
            {"output_tokens", said.text_tokens + said.reasoning_tokens},
            {"cache_read_input_tokens", 0},
            {"cache_creation_input_tokens", 0}}}};
}

}  // namespace

Answer messages(const Call& call, const TextOptions& options) {
  std::optional<Answer> refusal;
  const Json body = read_body(call, messages_type(), refusal);
  if (refusal) return *refusal;
  const Model* model = nullptr;
  if ((refusal = pick_model(call, body, model))) return *refusal;
  if ((refusal = messages_fault(body, *model))) return *refusal;
  Ask ask = read_messages(body, *model);
  if (const auto fault = choice_fault(ask, false)) return refuse_argument(*fault);
  if (const auto fault = prompt_fault(ask)) return refuse_argument(*fault);
  if (auto given = take_given(call, "messages", body, ask)) return *std::move(given);
  auto said = say(ask, 0, 1);
  if (!said) return refuse_argument(said.error().message);
  const auto stop = cut_at_stop(body, *said);
  const Json message = message_of(call, ask, *said, stop);
  Answer answer;
  if (flag_of(body, "stream", false)) {
    answer = stream_message(message, said->failure, piece_delay(call, options.piece_delay));
  } else if (!said->failure.empty()) {
    return refuse(503, "The service is currently unavailable", said->failure);
  } else {
    answer.body = dump(message);
  }
  const PromptTokens prompt = count_prompt(ask);
  const TokenUse use{.prompt = prompt.text + prompt.images,
                     .completion = said->text_tokens,
                     .reasoning = said->reasoning_tokens};
  answer.tokens = use.prompt + use.completion + use.reasoning;
  answer.charges = charges_of(*model, use);
  add_given_headers(ask, answer);
  return answer;
}

}  // namespace svc::emulator::legacy
