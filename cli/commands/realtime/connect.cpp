// `svc realtime connect`: a realtime session as JSON Lines.
#include <functional>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "catalogue/realtime_fields.h"
#include "client/answer.h"
#include "client/usage.h"
#include "commands/command.h"
#include "commands/realtime/realtime.h"
#include "commands/realtime/talk_session.h"
#include "json/document.h"
#include "json/slices.h"
#include "json/text.h"
#include "live/live_channel.h"
#include "operation/runner.h"
#include "session/cost_tracker.h"

namespace svc::cli {
namespace {

using ConnectFlags = Flags<catalogue::realtime::k_connect_fields>;

/// The string at that path; "" if there is none.
std::string event_text(std::string_view event, std::string_view path) {
  return json_string(json_member(event, path));
}

/// The type of an event; "" if it is not a JSON object. Audio data is not parsed.
std::string type_of(const std::string& text) {
  if (check_json(text)) return {};
  return event_text(text, "type");
}

/// Tracks the events of a session to know whether an answer is in progress.
class RealtimeTurns final : public JsonlObserver {
 public:
  /// `on_key` is called for each digit that a caller presses.
  explicit RealtimeTurns(std::function<void(const std::string&)> on_key)
      : m_on_key(std::move(on_key)) {}

  void sent(const std::string& text) override {
    const std::string type = type_of(text);
    // Speaking a given text produces an answer without response.create.
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
    // The error may refer to a requested answer.
    if (type == "error" && m_asked > 0) --m_asked;
    if (type == "conversation.created") m_conversation = event_text(text, "conversation.id");
    if (type == "input_audio_buffer.dtmf_event_received") m_on_key(event_text(text, "event"));
  }

  /// Whether an answer was requested and is not complete.
  [[nodiscard]] bool busy() const override { return m_asked > 0 || !m_open.empty(); }
  /// The conversation's ID, for resuming it; "" if the service has not sent one.
  [[nodiscard]] const std::string& conversation() const noexcept { return m_conversation; }
  /// Of the complete answers.
  [[nodiscard]] const Usage& usage() const noexcept { return m_usage; }

 private:
  std::function<void(const std::string&)> m_on_key;
  std::size_t m_asked = 0;         ///< requested answers that have not started
  std::set<std::string> m_open{};  ///< IDs of the answers that have started
  std::string m_conversation{};
  Usage m_usage{};
};

/// Adds to an error during an answer that its outcome is unknown, and how to resume.
Error explain(Error error, const RealtimeTurns& turns) {
  if (error.fault != Fault::Network || !turns.busy()) return error;
  error.fault = Fault::UnknownOutcome;
  error.message += " during an answer";
  if (!turns.conversation().empty()) {
    error.hint = fmt::format(
        "If resumption was enabled, continue the conversation within 30 minutes with `svc "
        "realtime connect --conversation-id {} --resumption-enabled`.",
        shown_word(turns.conversation()));
  }
  return error;
}

}  // namespace

Result<void> run_realtime_lines(Session& session, const std::vector<std::string>& say,
                                JsonlSessionOptions options) {
  const Invocation& invocation = session.invocation();
  SVC_TRY(request, prepare_own(session));
  if (auto* update = std::get_if<std::string>(&request.body)) {
    *update = with_session_voice(*update, session.settings().voice.value);
    options.first.push_back(*update);
  }
  if (session.globals().shows_only()) return show_socket(session, std::move(request));
  options.first.insert(options.first.end(), say.begin(), say.end());
  options.json_lines = true;
  SVC_TRY(channel, open_socket(session, request));
  RealtimeTurns turns([&session](const std::string& key) {
    session.notices().note(fmt::format("the caller pressed {}", shown(key, 20)));
  });
  const Result<void> ended = run_jsonl_session(session, *channel, std::move(options), &turns);
  session.record_cost({.id = turns.conversation(),
                       .model = ConnectFlags(session.inputs()).text<"model">(),
                       .usage = turns.usage()});
  if (turns.busy()) record_interrupted(session, *invocation.operation);
  return ended ? ended : explain(ended.error(), turns);
}

template <>
Result<void> run<Handler::RealtimeConnect>(Session& session) {
  const ConnectFlags flags(session.inputs());
  JsonlSessionOptions options;
  const bool call = flags.get<"call">() || flags.get<"call-id">();
  // A call ends when the caller hangs up; a session without input ends when the service closes it.
  if (!call && !session.ignores_stdin()) options.linger = std::chrono::seconds(1);
  if (const auto time = flags.get<"linger">()) options.linger = time;
  return run_realtime_lines(session, {}, options);
}

}  // namespace svc::cli
