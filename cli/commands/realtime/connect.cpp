// `svc realtime connect`: a realtime session as lines of JSON.
#include <functional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "client/answer.h"
#include "client/usage.h"
#include "commands/realtime/realtime.h"
#include "commands/realtime/talk_session.h"
#include "commands/registry.h"
#include "json/document.h"
#include "json/slices.h"
#include "json/text.h"
#include "live/live_channel.h"
#include "operation/runner.h"
#include "request/convert.h"
#include "session/cost_tracker.h"

namespace svc::cli {
namespace {

/// The text at that path; "" when there is none.
std::string event_text(std::string_view event, std::string_view path) {
  const auto piece = json_member(event, path);
  if (!piece || !piece->starts_with('"')) return {};
  const nlohmann::json value = parse_reply(*piece);
  return value.is_string() ? value.get<std::string>() : std::string();
}

/// The type of a message; "" for one that is not a JSON object. Sound is not looked into.
std::string type_of(const std::string& text) {
  if (check_json(text)) return {};
  return event_text(text, "type");
}

/// Follows the events of a realtime session to know whether an answer is under way.
class RealtimeTurns final : public JsonlObserver {
 public:
  /// `on_key` gets each key that a caller presses.
  explicit RealtimeTurns(std::function<void(const std::string&)> on_key)
      : m_on_key(std::move(on_key)) {}

  void sent(const std::string& text) override {
    const std::string type = type_of(text);
    // What is to be said word for word is an answer by itself.
    const bool spoken =
        type == "conversation.item.create" && event_text(text, "item.type") == "force_message";
    if (type == "response.create" || spoken) ++m_asked;
  }

  void arrived(const std::string& text) override {
    const std::string type = type_of(text);
    if (type == "response.created") {
      if (m_asked > 0) --m_asked;
      m_open.insert(event_text(text, "response.id"));
    }
    if (type == "response.done") {
      if (m_open.erase(event_text(text, "response.id")) == 0 && m_asked > 0) --m_asked;
      m_usage.add(read_usage(json_member(text, "response").value_or("{}")).value_or(Usage{}));
    }
    // What was asked for may be what was refused.
    if (type == "error" && m_asked > 0) --m_asked;
    if (type == "conversation.created") m_conversation = event_text(text, "conversation.id");
    if (type == "input_audio_buffer.dtmf_event_received") m_on_key(event_text(text, "event"));
  }

  /// An answer was asked for and is not complete.
  [[nodiscard]] bool busy() const override { return m_asked > 0 || !m_open.empty(); }
  /// Its id, for resuming it; "" when the service has not sent one.
  [[nodiscard]] const std::string& conversation() const noexcept { return m_conversation; }
  /// Of the answers that are complete.
  [[nodiscard]] const Usage& usage() const noexcept { return m_usage; }

 private:
  std::function<void(const std::string&)> m_on_key;
  std::size_t m_asked = 0;         ///< answers that have not begun
  std::set<std::string> m_open{};  ///< those that have, by their ids
  std::string m_conversation{};
  Usage m_usage{};
};

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
    if (m_session.globals().shows_only()) return show_socket(m_session, std::move(request));
    if (const auto* update = std::get_if<std::string>(&request.body)) {
      options.first.push_back(*update);
    }
    options.first.insert(options.first.end(), say.begin(), say.end());
    options.json_lines = true;
    SVC_TRY(channel, open_socket(m_session, request));
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
  /// A line that breaks in the middle of an answer leaves open what became of it.
  [[nodiscard]] static Error explain(Error error, const RealtimeTurns& turns) {
    if (error.fault != Fault::Network || !turns.busy()) return error;
    error.fault = Fault::UnknownOutcome;
    error.message += " in the middle of an answer";
    if (!turns.conversation().empty()) {
      error.hint = fmt::format(
          "If resumption was on, `svc realtime connect --conversation-id {} "
          "--resumption-enabled` continues the conversation; this works for half an hour.",
          shown(turns.conversation(), 100));
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
