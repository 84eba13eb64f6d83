#include "emulator/api/batches/perform.h"

#include <exception>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/account/batch_key.h"
#include "emulator/api/batches/chat_shape.h"
#include "emulator/api/batches/kinds.h"
#include "emulator/json/json.h"

namespace svc::emulator::batches {
namespace {

using text::Json;
using text::text_of;

constexpr std::int64_t k_poll_ms = 250;
constexpr std::string_view k_poll_path = "/v1/videos/{request_id}";
// Batches are cheaper than calls; by how much, the documents do not say.
constexpr std::int64_t k_price_divisor = 2;

// The key that answers: what the request may do was checked when it was added.
KeyRecord batch_key(const DueRequest& request) {
  KeyRecord key;
  key.id = k_key_id;
  key.team_id = request.team_id;
  key.acls = {"api-key:endpoint:*", "api-key:model:*"};
  return key;
}

// The sentence in an answer that is no success.
std::string error_of(const Answer& answer) {
  const Json body = text::parse_json(answer.body);
  if (body.is_string()) return body.get<std::string>();
  const std::string sentence = text_of(body, "error");
  if (!sentence.empty()) return sentence;
  return answer.body.empty() ? fmt::format("The request failed with status {}.", answer.status)
                             : replace_invalid_utf8(excerpt(answer.body, 1'000));
}

Outcome failed(const std::string& why) {
  return {.kind = Outcome::Kind::Failed, .result = text::dump(Json{{"error", why}})};
}

Outcome succeeded(const Kind& kind, Json body) {
  Outcome outcome;
  if (body.contains("usage") && body["usage"].is_object()) {
    auto& usage = body["usage"];
    outcome.cost_ticks = text::integer_of(usage, "cost_in_usd_ticks").value_or(0) / k_price_divisor;
    usage["cost_in_usd_ticks"] = outcome.cost_ticks;
  }
  Json result = {{"response", {{kind.result, std::move(body)}}}};
  outcome.result = text::dump(result);
  return outcome;
}

// What the operation would have charged, at the price of batches.
std::vector<Charge> reduced(const Answer& answer) {
  std::vector<Charge> charges = answer.charges;
  for (Charge& charge : charges) {
    charge.description += " (batch)";
    charge.unit_ticks /= k_price_divisor;
  }
  return charges;
}

// What cannot work where nobody waits for the answer.
std::optional<std::string> unfit(const Json& body) {
  for (const char* name : {"stream", "deferred"}) {
    if (text::flag_of(body, name, false)) {
      return fmt::format("{} is not supported in batch requests.", name);
    }
  }
  return std::nullopt;
}

// The same one each time: what a request sets going is found again when its worker was killed
// before it could note so, and does not begin a second time.
std::string request_id_of(const DueRequest& request) {
  const auto batch = static_cast<std::uint64_t>(request.batch);
  const auto number = static_cast<std::uint64_t>(request.seq);
  return fmt::format("ba7c4000-{:04x}-4{:03x}-8{:03x}-{:012x}", batch >> 24U & 0xFFFFU,
                     batch >> 12U & 0xFFFU, batch & 0xFFFU, number & 0xFFFF'FFFF'FFFFU);
}

std::string key_of(std::string_view method, std::string_view path) {
  return fmt::format("{} {}", method, path);
}

Outcome finish(const Kind& kind, Json body) {
  if (kind.member == "responses") {
    if (text_of(body, "status") == "failed") {
      const Json* error = text::member(body, "error");
      return failed(error == nullptr ? "The response failed." : text_of(*error, "message"));
    }
    body = chat_shape(body);
  }
  if (kind.text) body["debug_output"] = debug_output();
  return succeeded(kind, std::move(body));
}

}  // namespace

Performer::Performer(State& state, const std::vector<Route>& routes, Origin origin)
    : m_state(state), m_origin(std::move(origin)) {
  for (const Route& route : routes) {
    const bool polled = route.method == "GET" && route.path == k_poll_path;
    if (polled || (route.method == "POST" && find_kind_by_path(route.path) != nullptr)) {
      m_handlers[key_of(route.method, route.path)] = route.handler;
    }
  }
}

Answer Performer::call(const std::string& method, const std::string& path, const std::string& body,
                       const DueRequest& request, std::map<std::string, std::string> params) const {
  const auto handler = m_handlers.find(key_of(method, path));
  if (handler == m_handlers.end()) {
    return refuse(404, "Some requested entity was not found",
                  fmt::format("The emulator has no operation at {}.", path));
  }
  Call made;
  made.method = method;
  made.path = path;
  made.params = std::move(params);
  made.headers = {{"Host", m_origin.host}, {"Content-Type", "application/json"}};
  made.body = body;
  made.tls = m_origin.tls;
  made.key = batch_key(request);
  made.batch_key_id = request.key_id;
  made.state = &m_state;
  made.request_id = request_id_of(request);
  try {
    return handler->second(made);
  } catch (const std::exception& bug) {
    return refuse_internal(
        Error{Fault::Unexpected, fmt::format("The emulator has a fault: {}.", bug.what())});
  }
}

Outcome Performer::poll(const DueRequest& request, const std::string& job) const {
  const Answer answer = call("GET", std::string(k_poll_path), {}, request, {{"request_id", job}});
  if (answer.status == 202) {
    return {.kind = Outcome::Kind::Waits, .job = job, .due_ms = m_state.now_ms() + k_poll_ms};
  }
  if (answer.status != 200) return failed(error_of(answer));
  Json body = text::parse_json(answer.body);
  const std::string status = text_of(body, "status");
  if (status == "done") {
    Outcome outcome = succeeded(*find_kind(request.kind), std::move(body));
    outcome.charges = reduced(answer);
    return outcome;
  }
  const Json* error = text::member(body, "error");
  return failed(error == nullptr ? fmt::format("The video request is {}.", status)
                                 : text_of(*error, "message"));
}

Outcome Performer::perform(const DueRequest& request) const {
  const Kind* kind = find_kind(request.kind);
  if (kind == nullptr) return failed("This kind of request is not known.");
  if (!request.job.empty()) return poll(request, request.job);
  if (const auto why = unfit(text::parse_json(request.body))) return failed(*why);
  const Answer answer = call("POST", std::string(kind->path), request.body, request, {});
  if (answer.status != 200) return failed(error_of(answer));
  Json body = text::parse_json(answer.body);
  Outcome outcome;
  if (kind->job) {
    outcome = {.kind = Outcome::Kind::Waits,
               .job = text_of(body, "request_id"),
               .due_ms = m_state.now_ms() + k_poll_ms};
  } else {
    outcome = finish(*kind, std::move(body));
  }
  outcome.charges = reduced(answer);
  return outcome;
}

}  // namespace svc::emulator::batches
