#include "operation/model_call.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "client/api_error.h"
#include "client/credentials.h"
#include "http/sse.h"
#include "json/document.h"
#include "operation/results.h"
#include "operation/runner.h"
#include "operation/save_media.h"
#include "session/cost_tracker.h"
#include "session/model_lists.h"

namespace svc::cli {
namespace {

/// Returns the flag that allows a longer answer. An operation that only fetches has none; its
/// answer was requested with chat.
sv limit_flag(const Operation& operation) {
  for (const sv flag : {"max-completion-tokens", "max-tokens", "max-tokens-to-sample"}) {
    if (find_field(operation, flag) != nullptr) return flag;
  }
  return "max-completion-tokens";
}

/// Adds what the prompt cache saved. `shown`: it may be shown, so that the prices are worth a
/// request.
void add_savings(Session& session, Answer& answer, bool shown) {
  if (!answer.usage || answer.usage->cached_tokens == 0) return;
  ModelLists& models = session.models();
  const ModelFacts* facts = shown ? models.find(ModelList::Language, answer.model)
                                  : models.find_kept(ModelList::Language, answer.model);
  if (facts == nullptr) return;
  answer.usage->saved_ticks =
      facts->cache_savings(answer.usage->input_tokens, answer.usage->cached_tokens);
}

/// Passes a stream's events to the screen or the pipe.
class StreamRun {
 public:
  StreamRun(Session& session, ApiClient& client, const request::Request& request, AnswerSink& view,
            bool keep)
      : m_session(session),
        m_client(client),
        m_request(request),
        m_answer(make_answer_stream(request.operation->view,
                                    keep ? Retain::Text
                                    : session.format() == Format::Json || wants_details(session)
                                        ? Retain::Document
                                        : Retain::Nothing,
                                    session.secrets())),
        m_view(view) {
    if (session.format() == Format::Text) {
      m_show = [this](const Delta& delta) { m_view.show(delta); };
    }
  }

  ModelReply run() {
    const Format format = m_session.format();
    Result<void> ended = format == Format::Raw ? run_raw() : run_events();
    for (const std::string& warning : m_answer->take_warnings()) {
      m_session.notices().warning(warning);
    }
    // The answer is complete, even if the connection failed afterwards.
    if (!ended && m_answer->ended() &&
        (ended.error().fault == Fault::Network || ended.error().fault == Fault::Timeout)) {
      ended = {};
    }
    if (m_whole) return whole_answer(m_session, *m_request.operation, *std::move(m_whole));
    if (ended) {
      ended = m_answer->finish();
      if (!ended) ended.error().may_have_run = true;
    }
    ModelReply got{.answer = m_answer->answer(), .streamed = true};
    got.written = format == Format::Jsonl || format == Format::Raw;
    if (ended || !got.answer.choices.empty()) got.document = m_answer->document();
    if (!ended) got.error = std::move(ended).error();
    return got;
  }

 private:
  Result<void> run_events() {
    // Each event is a line of JSON.
    const http::SseParser::OnRun on_run =
        m_session.format() == Format::Jsonl ? http::SseParser::OnRun() : [this](sv bytes) {
          return m_answer->feed_run(bytes, m_show);
        };
    auto reply = m_client.stream(
        m_request, [this](sv data) { return event(data); }, [this] { return flush(); }, on_run);
    if (!reply) return std::move(reply).error();
    if (!reply->streamed) m_whole = std::move(reply->body);
    return {};
  }

  Result<void> run_raw() {
    http::SseParser parser;
    const http::SseParser::OnEvent read = [this](const http::SseEvent& one) {
      return http::is_keep_alive(one) ? Result<void>() : m_answer->feed(one.data, m_show);
    };
    const auto head = m_client.fetch(
        m_request,
        [&](sv bytes) -> Result<void> {
          m_session.progress().finish();
          SVC_CHECK(m_session.write_foreign(bytes));
          return parser.feed(bytes, read,
                             [this](sv run) { return m_answer->feed_run(run, m_show); });
        },
        [this] { return m_session.out().flush(); });
    return head ? Result<void>() : head.error();
  }

  Result<void> event(sv data) {
    if (m_answer->ended()) return {};
    const Result<void> fed = m_answer->feed(data, m_show);
    if (m_session.format() == Format::Jsonl && data != "[DONE]") {
      m_session.progress().finish();
      // An error may echo the key.
      if (!fed) {
        SVC_CHECK(m_session.write_document(scrub(std::string(data), m_session.secrets())));
      } else {
        SVC_CHECK(m_answer->is_compact_line() ? m_session.write_line(data)
                                              : m_session.write_document(data));
      }
    }
    return fed;
  }

  Result<void> flush() {
    return m_session.format() == Format::Text ? m_view.flush() : m_session.out().flush();
  }

  Session& m_session;
  ApiClient& m_client;
  const request::Request& m_request;
  std::unique_ptr<AnswerStream> m_answer;
  AnswerSink& m_view;
  DeltaSink m_show = [](const Delta&) {};
  std::optional<std::string> m_whole{};
};

/// Finishes partial output: text is already on the screen; a JSON document is printed as far as it
/// arrived.
Result<void> interrupted(Session& session, const Operation& operation, const ModelReply& got,
                         AnswerSink& view) {
  const Error& error = *got.error;
  if (error.fault == Fault::ReaderGone) return error;
  const Format format = session.format();
  if (format == Format::Text) view.interrupted();
  if (format != Format::Text && !got.written && !got.document.empty()) {
    SVC_CHECK(session.write_document(scrub(got.document, session.secrets())));
  }
  SVC_CHECK(session.out().flush());
  // An error in the answer matters more than one in saving a file.
  if (const auto saved = save_answer_images(session, got.answer.images); !saved) {
    session.notices().warning(saved.error().message);
  }
  if (operation.view == View::Response && !got.answer.id.empty() &&
      (is_cancellation(error.fault))) {
    session.notices().note(fmt::format(
        "the response was not canceled; if it was stored: svc responses get {}", got.answer.id));
  }
  return error;
}

}  // namespace

ModelReply whole_answer(Session& session, const Operation& operation, std::string body) {
  ModelReply got{.document = std::move(body)};
  const nlohmann::json document = parse_reply(got.document);
  if (auto failed = error_in_body(document, session.secrets())) {
    got.error = std::move(failed);
    return got;
  }
  Result<Answer> answer = read_answer(operation.view, document);
  if (answer) {
    got.answer = *std::move(answer);
  } else {
    got.error = std::move(answer).error();
  }
  return got;
}

ModelReply call_model(Session& session, ApiClient& client, const request::Request& request,
                      AnswerSink& view, bool keep) {
  const Operation& operation = *request.operation;
  session.models().note_long_context(operation, request.body);
  view.begin(request.choices);
  const bool shows_savings = session.globals().verbose || (keep && session.can_ask());
  session.progress().start(
      fmt::format("waiting for {}", request.model.empty() ? "the answer" : request.model));
  if (request.stream) {
    ModelReply got = StreamRun(session, client, request, view, keep).run();
    session.progress().finish();
    add_savings(session, got.answer, shows_savings);
    record_answer(session, operation, got.answer);
    if (got.error && !got.answer.usage) record_interrupted(session, operation, *got.error);
    return got;
  }
  Result<CallReply> reply = client.call(request);
  session.progress().finish();
  if (!reply) {
    record_interrupted(session, operation, reply.error());
    return {.error = std::move(reply).error()};
  }
  if (submitted_job(operation, reply->body)) {
    return {.document = std::move(reply->body), .submitted = true};
  }
  ModelReply got = whole_answer(session, operation, std::move(reply->body));
  add_savings(session, got.answer, shows_savings);
  record_answer(session, operation, got.answer);
  return got;
}

void show_before_text(AnswerSink& view, const ModelReply& got) {
  if (got.streamed || got.answer.choices.empty()) return;
  const Choice& choice = got.answer.choices.front();
  view.show({DeltaKind::Reasoning, 0, choice.reasoning});
  for (const ToolCall& call : choice.tool_calls) {
    // Chat's tool calls have arguments, and come with the choice.
    if (!call.runs_on_service || !call.arguments.empty()) continue;
    view.show({DeltaKind::Tool, 0, call.name});
    if (!call.output.empty()) view.show({DeltaKind::ToolOutput, 0, call.output});
  }
}

Result<void> finish_call(Session& session, const Operation& operation, const ModelReply& got,
                         AnswerSink& view) {
  if (auto bad = got.error ? std::nullopt : bad_arguments(got.answer)) {
    ModelReply broken = got;
    broken.error = std::move(bad);
    return finish_call(session, operation, broken, view);
  }
  if (got.error) {
    Result<void> broken = interrupted(session, operation, got, view);
    if (got.answer.usage) session.cost_tracker().print(*got.answer.usage);
    return broken;
  }
  if (session.format() == Format::Text) {
    show_before_text(view, got);
    SVC_CHECK(view.finish(got.answer));
  } else if (!got.written) {
    SVC_CHECK(session.write_document(got.document));
  }
  SVC_CHECK(session.out().flush());
  const Result<void> saved = save_answer_images(session, got.answer.images);
  if (wants_details(session)) {
    print_details(session, parse_reply(got.document));
  }
  if (got.answer.usage) session.cost_tracker().print(*got.answer.usage);
  if (!saved) return saved;
  if (auto lacking = answer_error(got.answer, limit_flag(operation))) return *std::move(lacking);
  return {};
}

}  // namespace svc::cli
