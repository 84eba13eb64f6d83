// `svc realtime connect`: a realtime session as lines of JSON.
#include "commands/realtime/connect.h"

#include <fmt/format.h>

#include "base/text.h"
#include "commands/realtime/talk_session.h"
#include "commands/realtime/turns.h"
#include "commands/registry.h"
#include "live/socket.h"
#include "operation/runner.h"
#include "request/convert.h"
#include "session/secret_value.h"
#include "session/usage_report.h"

namespace svc::cli {
namespace {

/// In front of a client secret in the handshake.
constexpr sv k_secret_protocol = "svc-client-secret.";

class RealtimeLines {
 public:
  explicit RealtimeLines(Session& session) : m_session(session) {}

  /// `say` are messages that go behind the session's settings.
  Result<void> run(const std::vector<std::string>& say, JsonlSessionOptions options) {
    const Invocation& invocation = m_session.invocation();
    SVC_TRY(request, prepare(m_session, *invocation.operation, invocation.inputs));
    for (const std::string& warning : request.warnings) m_session.notices().warning(warning);
    if (auto* update = std::get_if<std::string>(&request.body)) {
      *update = with_session_voice(*update, m_session.settings().voice.value);
    }
    if (m_session.globals().dry_run || m_session.globals().curl) return show_it(request);
    if (const auto* update = std::get_if<std::string>(&request.body)) {
      options.first.push_back(*update);
    }
    options.first.insert(options.first.end(), say.begin(), say.end());
    options.json_lines = true;
    SVC_TRY(channel, open(request));
    RealtimeTurns turns([this](const std::string& key) {
      m_session.notices().note(fmt::format("the caller pressed {}", shown(key, 20)));
    });
    const Result<void> ended = run_jsonl_session(m_session, *channel, std::move(options), &turns);
    m_session.record_cost({.id = turns.conversation(),
                           .model = invocation.value("model").value_or(""),
                           .usage = turns.usage()});
    if (turns.busy()) record_interrupted(m_session, *invocation.operation);
    return ended ? ended : explain(ended.error(), turns);
  }

 private:
  /// The handshake; for people also what is said first.
  Result<void> show_it(request::Request& request) {
    SVC_TRY(secret, protocol_variable());
    if (!secret.empty()) {
      request.headers.push_back(
          {"Sec-WebSocket-Protocol", fmt::format("{}{}", k_secret_protocol, secret)});
      request.variables.push_back(secret);
      request.keyless = true;
    }
    return show_socket(m_session, request);
  }

  /// "$NAME"; "" without a client secret.
  Result<std::string> protocol_variable() {
    const auto given = m_session.invocation().value("protocol-secret");
    if (!given) return std::string();
    const Field* field = find_field(*m_session.invocation().operation, "protocol-secret");
    SVC_TRY(source, request::parse_secret_source(*field, *given));
    return request::secret_variable(*field, source);
  }

  Result<std::unique_ptr<websocket::Channel>> open(const request::Request& request) {
    websocket::OpenRequest opening{.headers = request.headers};
    SVC_TRY(secret, secret_flag(m_session, "protocol-secret"));
    if (!secret) return open_socket(m_session, socket_path(request), std::move(opening));
    SVC_CHECK(check_key("--protocol-secret", *secret));
    opening.subprotocols.push_back(fmt::format("{}{}", k_secret_protocol, *secret));
    return open_socket(m_session, socket_path(request), std::move(opening), SocketKey::Keep);
  }

  /// A line that breaks in the middle of an answer leaves open what became of it.
  [[nodiscard]] static Error explain(Error error, const RealtimeTurns& turns) {
    if (error.fault != Fault::Network || !turns.busy()) return error;
    error.fault = Fault::UnknownOutcome;
    error.message += " in the middle of an answer";
    if (!turns.conversation().empty()) {
      error.hint = fmt::format(
          "Where resumption was on, `svc realtime connect --conversation-id {} "
          "--resumption-enabled` goes on with it for half an hour.",
          visible(excerpt(turns.conversation(), 100), Lines::Escape));
    }
    return error;
  }

  Session& m_session;
};

}  // namespace

Result<void> run_realtime_lines(Session& session, const std::vector<std::string>& say,
                                JsonlSessionOptions options) {
  return RealtimeLines(session).run(say, std::move(options));
}

Result<void> run_realtime_connect(Session& session) {
  const Invocation& invocation = session.invocation();
  JsonlSessionOptions options;
  const bool call = invocation.value("call") || invocation.value("call-id");
  // A call ends by itself, and so does a session that only listens.
  const bool listens = session.globals().no_stdin || session.environment()("SVC_NO_STDIN") == "1";
  if (!call && !listens) options.linger = std::chrono::seconds(1);
  if (const auto time = duration_flag(session, "linger")) options.linger = time;
  return run_realtime_lines(session, {}, options);
}

}  // namespace svc::cli
