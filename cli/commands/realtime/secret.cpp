// `svc realtime secret`: creates a short-lived client secret for realtime sessions.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "commands/command.h"
#include "commands/realtime/talk_session.h"
#include "json/document.h"
#include "operation/plan.h"
#include "operation/runner.h"
#include "session/secret_value.h"

namespace svc::cli {
namespace {

/// "until 14:05:09, for 10 min 00 s"; "" if the response has no expiry.
std::string lifetime_words(const OrderedJson& document) {
  const auto member = document.find("expires_at");
  if (member == document.end() || !member->is_number_integer()) return {};
  const auto expires = member->get<std::int64_t>();
  const std::int64_t left = expires - unix_now();
  if (left <= 0) return ", but it has already expired by this machine's clock";
  if (left > 86'400) return {};
  return fmt::format(" until {}, for {}", format_local(expires).substr(11),
                     format_duration(std::chrono::seconds(left)));
}

}  // namespace

template <>
Result<void> run<Handler::RealtimeSecret>(Session& session) {
  SVC_TRY(request, prepare_own(session));
  if (auto* body = std::get_if<std::string>(&request.body)) {
    *body = with_session_voice(*body, session.settings().voice.value);
  }
  SVC_TRY(approved, approve(session, request));
  if (!approved) return {};
  SVC_TRY(client, open_client(session, request));
  SVC_TRY(body, fetch_secret_answer(session, *client, request));
  const auto document = parse_reply_in_order(body);
  const std::string secret = text_member(document, "value");
  if (secret.empty()) {
    return Error{Fault::Network, "no secret in the response", "Run the command again."};
  }
  session.keep_secret(secret);
  SVC_CHECK(deliver_secret(session, secret, body));
  if (session.format() == Format::Text) {
    session.notices().note(
        fmt::format("the secret opens realtime sessions{}", lifetime_words(document)));
  }
  return {};
}

}  // namespace svc::cli
