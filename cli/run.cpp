#include "run.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "answer_view.h"
#include "base/json_slices.h"
#include "base/text.h"
#include "base/url.h"
#include "client/answer.h"
#include "client/api_error.h"
#include "client/reply_json.h"
#include "http/sse.h"
#include "print/json.h"
#include "print/sections.h"
#include "print/table.h"
#include "print/text_view.h"
#include "request/show.h"
#include "save_media.h"
#include "secret_value.h"
#include "team.h"

namespace svc::cli {
namespace {

using nlohmann::json;

/// The flag that allows a longer answer. An operation that only fetches has none; its answer was
/// asked for by chat.
sv limit_flag(const Operation& operation) {
  for (const sv flag : {"max-completion-tokens", "max-tokens", "max-tokens-to-sample"}) {
    if (find_field(operation, flag) != nullptr) return flag;
  }
  return "max-completion-tokens";
}

/// A stream's events on their way to the screen or the pipe.
class StreamRun {
 public:
  StreamRun(Session& session, Caller& caller, const request::Request& request)
      : m_session(session),
        m_caller(caller),
        m_request(request),
        m_answer(make_answer_stream(request.operation->view,
                                    session.format() == Format::Json ? Keep::Text : Keep::Nothing,
                                    session.secrets())),
        m_view(session, request.choices > 1) {}

  Result<void> run() {
    Result<void> ended = m_session.format() == Format::Raw ? run_raw() : run_events();
    for (const std::string& warning : m_answer->take_warnings()) {
      m_session.notices().warning(warning);
    }
    if (m_whole) return print_answer(m_session, *m_request.operation, *m_whole);
    if (ended) ended = m_answer->finish();
    return ended ? finish() : break_off(std::move(ended).error());
  }

 private:
  Result<void> run_events() {
    auto reply = m_caller.stream(
        m_request, [this](sv data) { return event(data); }, [this] { return flush(); });
    if (!reply) return std::move(reply).error();
    if (!reply->streamed) m_whole = std::move(reply->body);
    return {};
  }

  Result<void> run_raw() {
    http::SseParser parser;
    const auto head = m_caller.fetch(m_request, [&](sv bytes) -> Result<void> {
      SVC_CHECK(m_session.write_foreign(bytes));
      SVC_CHECK(m_session.out().flush());
      return parser.feed(bytes, [this](const http::SseEvent& one) {
        return m_answer->feed(one.data, [](const Delta&) {});
      });
    });
    return head ? Result<void>() : head.error();
  }

  Result<void> event(sv data) {
    const Format format = m_session.format();
    if (format == Format::Jsonl && data != "[DONE]") SVC_CHECK(m_session.write_document(data));
    return m_answer->feed(data, [&](const Delta& delta) {
      if (format == Format::Text) m_view.show(delta);
    });
  }

  Result<void> flush() {
    return m_session.format() == Format::Text ? m_view.flush() : m_session.out().flush();
  }

  Result<void> finish() {
    if (m_session.format() == Format::Json)
      SVC_CHECK(m_session.write_document(m_answer->document()));
    if (m_session.format() == Format::Text) SVC_CHECK(m_view.finish(m_answer->answer()));
    SVC_CHECK(m_session.out().flush());
    if (auto failed = shortcoming(m_answer->answer(), limit_flag(*m_request.operation))) {
      return *std::move(failed);
    }
    return {};
  }

  /// What had arrived is kept: text is on the screen already, a JSON document is printed as far as
  /// it came.
  Result<void> break_off(Error error) {
    if (error.fault == Fault::ReaderGone) return error;
    const Answer& answer = m_answer->answer();
    if (m_session.format() == Format::Text) m_view.break_off();
    if (m_session.format() == Format::Json && !answer.choices.empty()) {
      const std::string document = m_answer->document();
      if (!document.empty()) SVC_CHECK(m_session.write_document(document));
    }
    SVC_CHECK(m_session.out().flush());
    if (m_request.operation->view == View::Response && !answer.id.empty() &&
        (error.fault == Fault::Interrupted || error.fault == Fault::Terminated)) {
      m_session.notices().note(fmt::format(
          "the response was not cancelled; if it was stored: svc responses get {}", answer.id));
    }
    return error;
  }

  Session& m_session;
  Caller& m_caller;
  const request::Request& m_request;
  std::unique_ptr<AnswerStream> m_answer;
  AnswerView m_view;
  std::optional<std::string> m_whole{};
};

/// The text form of a whole document: the sections that the operation names, a table, or
/// `name: value` lines.
Result<void> print_plain(Session& session, const Operation& operation, const std::string& body) {
  if (!operation.sections.empty()) {
    return print::print_sections(session.out(), parse_reply(body), operation.sections);
  }
  if (operation.items.empty()) return print::print_fields(session.out(), body);
  const auto list = json_member(body, operation.items);
  if (!list) return no_list(operation);
  print::Table table(session.out(), operation.columns);
  for (const sv item : json_elements(*list)) {
    SVC_CHECK(table.add(parse_reply(item)));
  }
  SVC_CHECK(table.finish());
  SVC_CHECK(session.out().flush());
  tell_hidden(session, table);
  return {};
}

/// Chat and responses: shown by their own view in text; their verdict counts in every format.
Result<void> print_model_answer(Session& session, const Operation& operation,
                                const std::string& body) {
  const json document = parse_reply(body);
  const bool text = session.format() == Format::Text;
  auto failed = error_in_body(document, session.secrets());
  if (failed && text) return *std::move(failed);
  if (!text) SVC_CHECK(session.write_document(body));
  SVC_CHECK(session.out().flush());
  if (failed) return *std::move(failed);
  SVC_TRY(answer, read_answer(operation.view, document));
  if (text) {
    AnswerView view(session, answer.choices.size() > 1);
    if (!answer.choices.empty()) {
      view.show({Piece::Reasoning, 0, answer.choices.front().reasoning});
    }
    SVC_CHECK(view.finish(answer));
  }
  if (auto lacking = shortcoming(answer, limit_flag(operation))) return *std::move(lacking);
  return {};
}

/// The id of a job that a submission gave, when it gave one instead of an answer.
std::optional<std::string> submitted_job(const Operation& operation, const std::string& body) {
  if (!operation.poll || operation.name == operation.poll->operation) return std::nullopt;
  const json document = parse_reply(body);
  const auto id =
      document.is_object() ? document.find(std::string(operation.poll->id_path)) : document.end();
  if (id == document.end() || !id->is_string()) return std::nullopt;
  if (document.contains("choices") || document.contains("data")) return std::nullopt;
  return id->get<std::string>();
}

Result<void> finish_submission(Session& session, Caller& caller, const Operation& operation,
                               const std::string& id, const std::string& body) {
  const Operation* job = find_operation(operation.group, operation.poll->operation);
  const std::string resume = fmt::format("fetch it with: {}", resume_command(session, *job, id));
  if (waits(session, operation)) {
    // Said before the waiting: whatever happens to it, the answer stays within reach.
    session.notices().note(resume);
    return run_wait(session, caller, *job, id);
  }
  if (session.format() != Format::Text) return session.write_document(body);
  SVC_CHECK(session.write_foreign(id + "\n"));
  session.notices().note(resume);
  return {};
}

}  // namespace

Result<request::Request> prepare(Session& session, const Operation& operation,
                                 const request::Inputs& inputs) {
  const bool only_shown = session.globals().dry_run || session.globals().curl;
  request::BuildContext context{
      .team_id = session.settings().team_id.value,
      .model = session.settings().model.value,
      .stream_by_default = session.format() == Format::Text || session.format() == Format::Jsonl,
      .read_stdin = [&session] { return session.read_stdin(); }};
  // As with the address below: it may be learned, once the rest of the input is known to be well.
  if (context.team_id.empty() && operation.path.find("{team") != sv::npos) {
    context.team_id = request::k_team_variable;
  }
  if (!only_shown) {
    context.spool_stdin = [&session] { return session.spool_stdin(); };
    context.read_secret = [&session](const Field& field, const request::SecretSource& source) {
      return read_secret_value(session, field, source);
    };
  }
  Result<std::string> base = session.base_url(operation.host);
  if (!base && only_shown) {
    base = std::string(operation.host == Host::Management ? "$SVC_MANAGEMENT_URL"
                       : operation.host == Host::Docs     ? "$SVC_DOCS_URL"
                       : operation.host == Host::Realtime ? "$SVC_REALTIME_URL"
                                                          : "$SVC_BASE_URL");
  }
  // What is wrong with the input comes before what is missing in the configuration; and the
  // emulator's address is known only once it runs.
  if (base) context.base_url = *base;
  Result<request::Request> request = build_request(operation, inputs, context);
  if (request && !base && !session.settings().wants_emulator()) return std::move(base).error();
  return request;
}

Result<void> show(Session& session, const request::Request& request) {
  if (session.globals().curl) return session.write_foreign(request::show_curl(request));
  if (session.format() == Format::Text) {
    return session.write_foreign(request::show_request(request));
  }
  return session.write_document(request::show_request_json(request));
}

Result<void> print_answer(Session& session, const Operation& operation, const std::string& body) {
  switch (operation.view) {
    case View::Images:
      return save_images(session, operation, body);
    case View::Video:
      return save_video(session, operation, body);
    case View::Chat:
    case View::Response:
    case View::Message:
      return print_model_answer(session, operation, body);
    case View::Auto:
    case View::BatchResult:
      break;
  }
  if (session.format() != Format::Text) return session.write_document(body);
  if (trim(body).empty() || trim(body) == "null" || trim(body) == "{}") return {};
  return print_plain(session, operation, body);
}

Result<void> send(Session& session, Caller& caller, const request::Request& request) {
  if (request.stream) return StreamRun(session, caller, request).run();
  const Operation& operation = *request.operation;
  session.progress().start(fmt::format("svc {}", command_name(operation, true)));
  Result<CallReply> answered = caller.call(request);
  session.progress().finish();
  if (!answered) {
    if (answered.error().fault != Fault::NotFound || operation.gone.empty()) {
      return std::move(answered).error();
    }
    session.notices().note(std::string(operation.gone));
    return {};
  }
  const CallReply& reply = *answered;
  if (const auto id = submitted_job(operation, reply.body)) {
    return finish_submission(session, caller, operation, *id, reply.body);
  }
  if (saves_media(operation) && request.method == "GET") {
    return print_media_look(session, operation, reply);
  }
  if (trim(reply.body).empty() && session.format() != Format::Raw) return {};
  return print_answer(session, operation, reply.body);
}

Result<std::optional<std::string>> fetch_answer(Session& session, sv label) {
  const Operation& operation = *session.invocation().operation;
  SVC_TRY(request, prepare(session, operation, session.invocation().inputs));
  for (const std::string& warning : request.warnings) session.notices().warning(warning);
  if (session.globals().dry_run || session.globals().curl) {
    SVC_CHECK(show(session, request));
    return std::optional<std::string>();
  }
  SVC_TRY(caller, open_caller(session, request));
  session.progress().start(label.empty() ? fmt::format("svc {}", command_name(operation))
                                         : std::string(label));
  Result<CallReply> reply = caller->call(request);
  session.progress().finish();
  if (!reply) return std::move(reply).error();
  return std::optional(std::move(reply->body));
}

Result<std::unique_ptr<Caller>> open_caller(Session& session, request::Request& request) {
  SVC_TRY(caller, session.caller(request.operation->host));
  SVC_CHECK(complete_address(session, request));
  return std::move(caller);
}

Result<void> complete_address(Session& session, request::Request& request) {
  if (session.settings().wants_emulator() && !request.url.starts_with("http")) {
    SVC_TRY(base, session.base_url(request.operation->host));
    request.url = base + request.url;
  }
  const std::size_t team = request.operation->path.find("{team") == sv::npos
                               ? std::string::npos
                               : request.url.find(request::k_team_variable);
  if (team != std::string::npos) {
    SVC_TRY(id, find_team(session));
    request.url.replace(team, request::k_team_variable.size(), percent_encode(id));
  }
  return {};
}

Result<void> confirm(Session& session, const Operation& operation) {
  if (!operation.destructive) return {};
  constexpr std::size_t k_named = 10;
  std::size_t count = 0;
  std::string targets;
  for (const request::Given& given : session.invocation().inputs.given) {
    if (given.field->in != In::Path || ++count > k_named) continue;
    targets += fmt::format("{}{}", targets.empty() ? " " : ", ",
                           visible(excerpt(given.text, 80), Lines::Escape));
  }
  if (count > k_named) targets += fmt::format(" and {} more", count - k_named);
  const std::string what(operation.summary.substr(0, operation.summary.size() - 1));
  SVC_TRY(agreed, session.confirm(fmt::format("{}{}{}. This cannot be undone. Go on?", what,
                                              targets.empty() ? "" : ":", targets)));
  if (!agreed) return usage_error("not confirmed; nothing was done");
  return {};
}

Result<void> run_operation(Session& session) {
  const Operation& operation = *session.invocation().operation;
  const bool only_shown = session.globals().dry_run || session.globals().curl;
  if (takes_several(operation)) return run_several(session);
  SVC_TRY(request, prepare(session, operation, session.invocation().inputs));
  for (const std::string& warning : request.warnings) session.notices().warning(warning);
  if (only_shown) return show(session, request);
  SVC_CHECK(confirm(session, operation));
  if (saves_media(operation)) SVC_CHECK(check_media_target(session, operation));
  SVC_TRY(caller, open_caller(session, request));
  if (!operation.tool.empty()) return run_tool(session, *caller, request);
  if (operation.paging) return run_list(session, *caller, operation);
  if (operation.poll && operation.name == operation.poll->operation) {
    const auto id = session.invocation().value(operation.fields.front().flag);
    return run_wait(session, *caller, operation, id.value_or(""));
  }
  return send(session, *caller, request);
}

}  // namespace svc::cli
