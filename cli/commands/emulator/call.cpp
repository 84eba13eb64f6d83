// `svc emulator call`: a phone call comes in at the running emulator.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands/registry.h"
#include "json/document.h"
#include "operation/runner.h"

namespace svc::cli {
namespace {

using nlohmann::json;

/// What became of the last attempt at the webhook: "status 503", or why there was no answer.
std::string last_attempt(const json& webhook) {
  const auto attempts = webhook.find("attempts");
  if (attempts == webhook.end() || !attempts->is_array() || attempts->empty()) {
    return "no attempt was made";
  }
  const json& last = attempts->back();
  if (const auto status = last.find("status"); status != last.end()) {
    return fmt::format("status {}", compact_json(*status));
  }
  const auto error = last.find("error");
  return error != last.end() && error->is_string()
             ? visible(error->get<std::string>(), Lines::Escape)
             : "no answer";
}

/// A call whose number has a webhook that did not take the event.
Result<void> check_delivery(const std::string& body) {
  const json call = parse_reply(body);
  const auto webhook = call.is_object() ? call.find("webhook") : call.end();
  if (!call.is_object() || webhook == call.end() || !webhook->is_object()) return {};
  const auto delivered = webhook->find("delivered");
  if (delivered == webhook->end() || *delivered != false) return {};
  return Error{Fault::RemoteJob,
               fmt::format("the webhook did not take the event: {}", last_attempt(*webhook)),
               "The call is there all the same. `svc phone listen` receives webhooks on this "
               "machine."};
}

}  // namespace

Result<void> run_emulator_call(Session& session) {
  SVC_TRY(body, fetch_answer(session));
  if (!body) return {};
  SVC_CHECK(print_answer(session, *session.invocation().operation, *body));
  return check_delivery(*body);
}

}  // namespace svc::cli
