#include "emulator/api/text/chat.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/text/attach.h"
#include "emulator/api/text/handlers.h"
#include "emulator/handler/ids.h"
#include "emulator/json/check_tables.h"
#include "emulator/json/json_answer.h"
#include "emulator/model/given.h"
#include "emulator/model/rules.h"
#include "emulator/state/state.h"

namespace svc::emulator::text {
namespace {

// 200 {"request_id"}; the answer is made now and shown later.
Answer defer(const Call& call, std::string document, const TextOptions& options) {
  DeferredJob job{.id = new_uuid(),
                  .team_id = call.key.team_id,
                  .ready_at_ms = call.state->now_ms() + options.deferred_delay.count(),
                  .body = std::move(document)};
  const std::string id = job.id;
  if (const auto added = call.state->add_deferred(job); !added) {
    return refuse_internal(added.error());
  }
  return json_answer(Json{{"request_id", id}});
}

bool wants_usage_chunk(const Json& body) {
  const Json* options = member(body, "stream_options");
  return options != nullptr && flag_of(*options, "include_usage", false);
}

}  // namespace

Answer create_chat(const Call& call, const TextOptions& options) {
  std::optional<Answer> refusal;
  const Json body = read_body(call, chat_request_type(), refusal);
  if (refusal) return *refusal;
  const Model* model = nullptr;
  if ((refusal = pick_model(call, body, model))) return *refusal;
  if ((refusal = chat_fault(body, *model))) return *refusal;
  Ask ask = read_chat(body, *model);
  if ((refusal = attach_files(call, ask.turns))) return *refusal;
  if (const auto fault = choice_fault(ask, false)) return refuse_argument(*fault);
  if (const auto fault = prompt_fault(ask)) return refuse_argument(*fault);
  if (auto given = take_given(call, "chat", body, ask)) return *std::move(given);

  ChatAnswer said;
  std::int64_t tokens = 0;
  if ((refusal = answer_chat(call, body, ask, said, tokens))) return *refusal;
  std::vector<Charge> charges = std::move(said.charges);
  Answer answer;
  if (flag_of(body, "stream", false)) {
    answer = stream_chat(std::move(said), wants_usage_chunk(body),
                         piece_delay(call, options.piece_delay));
  } else if (!said.said.front().failure.empty()) {
    return refuse(503, "The service is currently unavailable", said.said.front().failure);
  } else if (flag_of(body, "deferred", false)) {
    answer = defer(call, chat_document(said), options);
  } else {
    answer.body = chat_document(said);
  }
  answer.tokens = tokens;
  answer.charges = std::move(charges);
  add_given_headers(ask, answer);
  return answer;
}

Answer fetch_deferred(const Call& call) {
  // Reading takes the result away, so it must not happen where the result is not sent.
  if (call.method == "HEAD") {
    return refuse(405, "Method not allowed", "A deferred completion is read with GET only.");
  }
  const std::string& id = call.params.at("request_id");
  if (!is_uuid(id)) return refuse_argument("The request id is not a UUID: " + excerpt(id, 60));
  const auto fetch = call.state->fetch_deferred(call.key.team_id, to_lower(id));
  if (!fetch) return refuse_internal(fetch.error());
  Answer answer;
  switch (fetch->status) {
    case DeferredFetch::Status::Unknown:
      return refuse_missing("Deferred completion with request_id=" + id + " not found");
    case DeferredFetch::Status::Pending:
      answer.status = 202;
      return answer;
    case DeferredFetch::Status::Ready:
      answer.body = fetch->body;
      break;
  }
  return answer;
}

}  // namespace svc::emulator::text
