// `svc phone answer`: a phone call, as a conversation to read or as lines of JSON.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "client/reply_json.h"
#include "commands.h"
#include "commands/phone_call.h"
#include "commands/realtime_lines.h"
#include "request/convert.h"
#include "run.h"

namespace svc::cli {
namespace {

using CallJson = nlohmann::ordered_json;

/// What is said first on a call (api 4 §9.11); nothing when the caller is to begin.
Result<std::vector<std::string>> greeting(const Invocation& invocation) {
  if (invocation.value("greet") == "false") return std::vector<std::string>();
  const auto words = invocation.value("greeting");
  if (!words) return std::vector<std::string>{R"({"type":"response.create"})"};
  SVC_TRY(text, request::resolve_text("--greeting", *words));
  const CallJson item = {{"type", "force_message"},
                         {"role", "assistant"},
                         {"content", CallJson::array({{{"type", "output_text"}, {"text", text}}})}};
  return std::vector<std::string>{
      compact_json(CallJson{{"type", "conversation.item.create"}, {"item", item}})};
}

}  // namespace

Result<void> hang_up(Session& session, const std::string& id) {
  const Operation* operation = find_operation("phone", "hangup");
  request::Inputs inputs;
  inputs.given.push_back({find_field(*operation, "call-id"), id});
  SVC_TRY(request, prepare(session, *operation, inputs));
  SVC_TRY(caller, open_caller(session, request));
  const Result<CallReply> reply = caller->call(request);
  if (!reply && reply.error().fault != Fault::NotFound) return reply.error();
  session.notices().note(reply ? "the call was ended" : std::string(operation->gone));
  return {};
}

Result<void> run_phone_answer(Session& session) {
  SVC_TRY(say, greeting(session.invocation()));
  const bool shown = session.globals().dry_run || session.globals().curl;
  if (session.format() == Format::Text && !shown) return run_call(session, std::move(say));
  const Result<void> ended = run_realtime_lines(session, say, {});
  if (ended || ended.error().fault != Fault::Interrupted) return ended;
  Error error = ended.error();
  error.hint = fmt::format("`svc phone hangup {}` ends the call, if it goes on.",
                           shell_quote(session.invocation().value("call-id").value_or("CALL")));
  return error;
}

}  // namespace svc::cli
