// `svc phone answer`: answers a call, as text or as JSON Lines.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalogue/phone_fields.h"
#include "commands/command.h"
#include "commands/realtime/realtime.h"
#include "json/document.h"
#include "operation/runner.h"
#include "request/convert.h"

namespace svc::cli {
namespace {

using AnswerFlags = Flags<catalogue::phone::k_answer_fields>;

/// The messages that start the call; empty if the caller speaks first.
Result<std::vector<std::string>> greeting(const AnswerFlags& flags) {
  if (flags.get<"greet">() == false) return std::vector<std::string>();
  const auto words = flags.get<"greeting">();
  if (!words) return std::vector<std::string>{R"({"type":"response.create"})"};
  SVC_TRY(text, request::resolve_text("--greeting", *words));
  const OrderedJson item = {
      {"type", "force_message"},
      {"role", "assistant"},
      {"content", OrderedJson::array({{{"type", "output_text"}, {"text", text}}})}};
  return std::vector<std::string>{
      compact_json(OrderedJson{{"type", "conversation.item.create"}, {"item", item}})};
}

}  // namespace

template <>
Result<void> run<Handler::PhoneAnswer>(Session& session) {
  const AnswerFlags flags(session.inputs());
  SVC_TRY(say, greeting(flags));
  const bool shown = session.globals().shows_only();
  if (session.format() == Format::Text && !shown) return run_call(session, std::move(say));
  const Result<void> ended = run_realtime_lines(session, say, {});
  if (ended || ended.error().fault != Fault::Interrupted) return ended;
  Error error = ended.error();
  error.hint = fmt::format("If the call is still active, `svc phone hangup {}` ends it.",
                           shell_quote(flags.get<"call-id">().value_or("CALL")));
  return error;
}

}  // namespace svc::cli
