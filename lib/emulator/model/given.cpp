#include "emulator/model/given.h"

#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/control/faults.h"
#include "emulator/model/answer.h"
#include "emulator/model/rules.h"
#include "emulator/state/state.h"

namespace svc::emulator::text {
namespace {

Answer given_response(const GivenAnswer& given) {
  FaultRule rule;
  rule.action = FaultAction::Status;
  rule.status = given.status;
  rule.body = given.body;
  rule.headers = given.headers;
  return fault_answer(rule);
}

Answer given_stream(const Call& call, GivenAnswer given) {
  Answer answer;
  answer.content_type = "text/event-stream";
  answer.headers = std::move(given.headers);
  const auto delay = piece_delay(call, std::chrono::milliseconds(0));
  // A function must be copyable, and the copies go on together.
  auto next = std::make_shared<std::size_t>(0);
  answer.next = [events = std::move(given.events), next, delay]() -> std::optional<Piece> {
    if (*next == events.size()) return std::nullopt;
    return Piece{events[(*next)++], delay};
  };
  return answer;
}

}  // namespace

bool uses_key(const Call& call, sv key) {
  const std::string& id = call.batch_key_id.empty() ? call.key.id : call.batch_key_id;
  if (key == id || key == call.key.name) return true;
  const auto found = call.state->find_key(key);
  return found && *found && (*found)->id == id;
}

std::optional<Answer> take_given(const Call& call, sv operation, const Json& body, Ask& ask) {
  const std::string model = text_of(body, "model");
  Question question{.operation = operation,
                    .models = {model, ask.model->name},
                    .prompt = last_user_text(ask),
                    .headers = &call.headers,
                    .is_key = [&](sv key) { return uses_key(call, key); },
                    .streamed = flag_of(body, "stream", false),
                    .after_tools = answers_tools(ask)};
  auto given = call.state->answers().take(question);
  if (!given) return std::nullopt;
  if (given->status != 0) return given_response(*given);
  if (!given->events.empty()) return given_stream(call, std::move(*given));
  ask.given = std::move(*given);
  return std::nullopt;
}

void add_given_headers(const Ask& ask, Answer& answer) {
  if (!ask.given) return;
  for (const Header& header : ask.given->headers) answer.headers.push_back(header);
}

std::string given_sentence(const GivenAnswer& given) {
  const Json body = parse_json(given.body);
  if (body.is_object()) {
    if (std::string sentence = text_of(body, "error"); !sentence.empty()) return sentence;
    if (const Json* error = member(body, "error")) {
      if (std::string sentence = text_of(*error, "message"); !sentence.empty()) return sentence;
    }
  }
  return given.body.empty() ? fmt::format("Status {} (given answer).", given.status) : given.body;
}

}  // namespace svc::emulator::text
