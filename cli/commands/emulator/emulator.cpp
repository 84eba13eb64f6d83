// `svc emulator`: replaces this process with svc-emulator; and `svc emulator call`: simulates an
// incoming call at the running emulator.
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "commands/command.h"
#include "json/document.h"
#include "operation/runner.h"

namespace svc::cli {
namespace {

using nlohmann::json;

/// The result of the last attempt to deliver the webhook: "status 503", or the connection error.
std::string last_attempt(const json& webhook) {
  const json& attempts = member(webhook, "attempts");
  if (!attempts.is_array() || attempts.empty()) return "no attempt was made";
  const json& last = attempts.back();
  if (const json& status = member(last, "status"); !status.is_null()) {
    return fmt::format("status {}", compact_json(status));
  }
  return member(last, "error").is_string() ? visible(text_member(last, "error"), Lines::Escape)
                                           : "no answer";
}

/// Fails if the number's webhook did not accept the event.
Result<void> check_delivery(const std::string& body) {
  const json call = parse_reply(body);
  const json& webhook = member(call, "webhook");
  if (member(webhook, "delivered") != json(false)) return {};
  return Error{Fault::RemoteJob,
               fmt::format("the webhook rejected the event: {}", last_attempt(webhook)),
               "The call was created anyway. `svc phone listen` receives webhooks on this "
               "machine."};
}

}  // namespace

template <>
Result<void> run<Handler::Emulator>(Session& session) {
  SVC_TRY(program, find_emulator());
  std::vector<std::string> words = {program};
  for (const request::Given& given : session.invocation().inputs.given) {
    if (given.field->kind == Kind::Boolean) {
      if (given.text == "true") words.push_back(fmt::format("--{}", given.field->flag));
      continue;
    }
    words.push_back(fmt::format("--{}", given.field->flag));
    words.push_back(given.text);
  }
  if (session.globals().quiet) words.emplace_back("--quiet");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  return system_error("svc-emulator cannot be started", errno);
}

template <>
Result<void> run<Handler::EmulatorCall>(Session& session) {
  SVC_TRY(body, fetch_answer(session));
  if (!body) return {};
  SVC_CHECK(print_answer(session, *session.invocation().operation, *body));
  return check_delivery(*body);
}

}  // namespace svc::cli
