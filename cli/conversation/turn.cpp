#include "conversation/turn.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "catalogue/tool_fields.h"
#include "json/document.h"
#include "json/slices.h"
#include "operation/plan.h"
#include "operation/runner.h"
#include "operation/save_media.h"
#include "request/media.h"

namespace svc::cli {
namespace {

/// An assistant message of chat. Reasoning is included only with the tool calls it led to; calls
/// that the service ran itself are omitted.
std::string chat_message(const Choice& choice) {
  OrderedJson message = {{"role", "assistant"}};
  OrderedJson calls = OrderedJson::array();
  for (const ToolCall& call : choice.tool_calls) {
    if (call.runs_on_service) continue;
    calls.push_back({{"id", call.id},
                     {"type", "function"},
                     {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
  }
  const std::string& said = choice.text.empty() ? choice.refusal : choice.text;
  message["content"] = said.empty() && !calls.empty() ? OrderedJson() : OrderedJson(said);
  if (!calls.empty()) {
    if (!choice.reasoning.empty()) message["reasoning_content"] = choice.reasoning;
    message["tool_calls"] = std::move(calls);
  }
  return compact_json(message);
}

/// Whether the service keeps this response, so that the next request can name it.
bool is_stored(const request::Request& request, const ModelReply& got) {
  if (request.operation->view != View::Response || got.answer.id.empty() || got.error) return false;
  if (json_member(got.document, "store") == "false") return false;
  return request.stored;
}

}  // namespace

bool is_conversation(const Operation& operation) {
  const bool composed =
      operation.composer == Composer::Chat || operation.composer == Composer::Responses;
  return composed && (operation.view == View::Chat || operation.view == View::Response);
}

/// Runs the tool rounds of one turn.
class Dialogue::Turn {
 public:
  Turn(Dialogue& dialogue, const TurnPlan& plan, AnswerSink& view)
      : m_dialogue(dialogue),
        m_session(dialogue.m_session),
        m_plan(plan),
        m_view(view),
        m_inputs(plan.inputs),
        m_thread(plan.thread) {}

  TurnResult run() {
    Result<void> ended = rounds();
    if (!ended) m_result.error = std::move(ended).error();
    return std::move(m_result);
  }

 private:
  /// Sends the request, and again with the tool results, until an answer has no more calls.
  Result<void> rounds() {
    request::PriorTurns thread = m_plan.thread;
    SVC_CHECK(upload());
    TurnTools& tools = m_dialogue.m_tools;
    for (int round = 0;; ++round) {
      SVC_TRY(request, prepare(thread, round == 0));
      SVC_TRY(client, m_dialogue.client(&cancel_token()));
      SVC_CHECK(complete_address(m_session, request));
      ModelReply got = call_model(m_session, *client, request, m_view, keeps());
      if (got.submitted) {
        m_result.submission = got.document;
        return {};
      }
      take(got);
      std::vector<ToolCall> calls;
      // An incomplete answer may lack some of its calls, so none is run.
      if (!got.error && !tools.empty() && !answer_error(got.answer)) {
        calls = tools.own_calls(got.answer, request.tools);
      }
      // Where svc runs the tools, invalid JSON arguments are reported to the model, which can
      // retry.
      if (!got.error && calls.empty()) got.error = bad_arguments(got.answer);
      if (goes_on()) SVC_CHECK(keep(request, got, thread));
      if (calls.empty()) {
        return conclude_turn(std::move(got));
      }
      SVC_CHECK(pause(got));
      if (Result<void> ran = run_tools(calls, round); !ran) {
        if (m_session.format() == Format::Json) {
          SVC_CHECK(m_session.write_document(got.document));
        }
        if (m_result.usage) m_session.cost_tracker().print(*m_result.usage);
        return ran;
      }
      thread = m_thread;
      thread.answers_tools = true;
    }
  }

  /// Whether a later request needs this turn's messages.
  [[nodiscard]] bool goes_on() const { return m_plan.keep || !m_dialogue.m_tools.empty(); }
  /// Whether the answer's text is needed after it has been printed.
  [[nodiscard]] bool keeps() const { return goes_on() || m_dialogue.m_schema; }

  [[nodiscard]] const CancelToken& cancel_token() const {
    return m_plan.cancel != nullptr ? *m_plan.cancel : m_session.cancel_token();
  }

  /// Uploads files that the service accepts only by ID, once everything else has been checked.
  Result<void> upload() {
    Attachments& files = m_dialogue.m_attachments;
    SVC_TRY(found, files.find(m_inputs, m_dialogue.m_stdin));
    if (!found) return {};
    const auto tried =
        m_dialogue.prepare(files.placeholders(m_inputs), m_plan.thread, cancel_token());
    if (!tried) return tried.error();
    SVC_TRY(uploaded, files.upload(m_inputs, cancel_token()));
    m_inputs = std::move(uploaded);
    return {};
  }

  /// Prints and checks the last answer. With --schema, json output is the object itself.
  Result<void> conclude_turn(ModelReply got) {
    got.answer.usage = m_result.usage;
    const std::optional<AnswerSchema>& schema = m_dialogue.m_schema;
    const bool checked = schema && !got.error && !got.answer.choices.empty() &&
                         got.answer.choices.front().refusal.empty();
    if (checked && m_session.format() == Format::Json) {
      got.document = answer_document(got.answer.choices.front().text);
    }
    SVC_CHECK(finish_call(m_session, m_dialogue.m_operation, got, m_view));
    if (!checked) return {};
    got.document = {};  // it may be large, and checking takes memory too
    if (auto misfit = schema->check(got.answer.choices.front().text)) return *std::move(misfit);
    return {};
  }

  Result<request::Request> prepare(const request::PriorTurns& thread, bool first) {
    SVC_TRY(request, m_dialogue.prepare(m_inputs, thread, cancel_token()));
    for (const std::string& warning : request.warnings) {
      if (first) m_session.notices().warning(warning);
    }
    return std::move(request);
  }

  /// Finishes an answer that is not the last: json prints only the last one.
  Result<void> pause(const ModelReply& got) {
    const Format format = m_session.format();
    if (format == Format::Text) {
      show_before_text(m_view, got);
      SVC_CHECK(m_view.pause(got.answer));
      return save_answer_images(m_session, got.answer.images);
    }
    if (format != Format::Json && !got.written) {
      SVC_CHECK(m_session.write_document(got.document));
    }
    return m_session.out().flush();
  }

  Result<void> run_tools(const std::vector<ToolCall>& calls, int round) {
    TurnTools& tools = m_dialogue.m_tools;
    const bool over = round >= tools.most_rounds();
    const ToolRound results = over ? tools.refuse(calls, "too many tool calls in this turn")
                                   : tools.run(calls, cancel_token());
    std::vector<std::string> messages;
    for (const ToolCalls::Finished& answer : results.answers) {
      messages.push_back(
          tool_message(m_dialogue.m_operation.view, answer.call, answer.output, answer.images));
    }
    add(std::move(messages));
    // The response stored on the service lacks these results.
    m_result.response_id.clear();
    if (results.stopped) return *results.stopped;
    if (!over) return {};
    return Error{Fault::RemoteJob,
                 fmt::format("the model called tools more than {} in one turn",
                             counted(tools.most_rounds(), "time", "times")),
                 "Raise --max-tool-rounds to let it continue."};
  }

  void take(const ModelReply& got) {
    if (got.answer.usage && !m_result.usage) m_result.usage.emplace();
    if (got.answer.usage) {
      m_result.usage->add(*got.answer.usage);
      m_result.context = got.answer.usage->input_tokens + got.answer.usage->output_tokens;
    }
    m_result.model = got.answer.model;
    if (!got.answer.choices.empty() && goes_on()) {
      m_result.text = got.answer.choices.front().text;
    }
  }

  /// Records the messages of a request and its answer. `thread` is what the request continued.
  Result<void> keep(const request::Request& request, const ModelReply& got,
                    const request::PriorTurns& thread) {
    const View view = m_dialogue.m_operation.view;
    std::vector<std::string> answered = answer_messages(view, got);
    if (answered.empty()) return {};
    if (!thread.answers_tools) {
      for (const Payload& message : request.said) {
        SVC_TRY(text, request::complete_body(message));
        add({std::move(text)});
      }
    }
    add(std::move(answered));
    m_result.response_id.clear();
    if (is_stored(request, got)) {
      m_result.response_id = got.answer.id;
      m_thread = {.response_id = got.answer.id};
    }
    return {};
  }

  void add(std::vector<std::string> messages) {
    for (std::string& message : messages) {
      m_thread.messages.push_back(message);
      m_result.messages.push_back(std::move(message));
    }
  }

  Dialogue& m_dialogue;
  Session& m_session;
  const TurnPlan& m_plan;
  AnswerSink& m_view;
  request::Inputs m_inputs;      ///< those of the plan, with the IDs of uploaded files
  request::PriorTurns m_thread;  ///< what the next request continues from
  TurnResult m_result{};
};

Dialogue::Dialogue(Session& session, const Operation& operation)
    : m_session(session),
      m_operation(operation),
      m_tools(session),
      m_attachments(session, operation,
                    [this](const CancelToken* cancel) { return client(cancel); }) {}

Dialogue::~Dialogue() = default;

Result<void> Dialogue::open() {
  if (const auto path = Flags<catalogue::k_turn_fields>(m_session.inputs()).get<"schema">()) {
    SVC_TRY(schema, AnswerSchema::read(*path));
    m_schema.emplace(std::move(schema));
  }
  return m_tools.open();
}

Result<ApiClient*> Dialogue::client(const CancelToken* cancel) {
  m_cancel.link({cancel});
  if (!m_client) {
    SVC_TRY(made, m_session.client(m_operation.host, 0, &m_cancel));
    m_client = std::move(made);
  }
  return m_client.get();
}

void Dialogue::connect_ahead() {
  const auto url = m_session.base_url(m_operation.host);
  if (!url || !m_client) return;
  m_session.transport().connect_ahead({.url = *url, .timeouts = m_client->policy().timeouts});
}

Result<request::Plan> Dialogue::plan(const TurnPlan& turn) {
  SVC_TRY(found, m_attachments.find(turn.inputs, m_stdin));
  SVC_TRY(request, prepare(found ? m_attachments.placeholders(turn.inputs) : turn.inputs,
                           turn.thread, m_session.cancel_token()));
  for (const std::string& warning : request.warnings) m_session.notices().warning(warning);
  request::Plan plan;
  SVC_CHECK(m_attachments.plan_uploads(plan, request));
  plan.steps.push_back({.request = std::move(request)});
  SVC_CHECK(plan_rest(m_session, plan));
  SVC_CHECK(m_attachments.plan_removals(plan));
  if (!m_tools.empty()) {
    m_session.notices().note(
        "if the model calls tools, their results are sent in further requests like this one");
  }
  return plan;
}

Result<request::Request> Dialogue::prepare(const request::Inputs& inputs,
                                           const request::PriorTurns& thread,
                                           const CancelToken& cancel) {
  m_tools.refresh(cancel);
  return cli::prepare(m_session, m_operation, inputs, [&](request::BuildContext& context) {
    context.thread = thread;
    context.tools = m_tools.definitions(m_operation.view);
    if (m_schema) context.format = m_schema->format(m_operation.view);
    context.read_stdin = [this]() -> Result<std::optional<std::string>> {
      if (!m_stdin) {
        SVC_TRY(text, m_session.read_stdin());
        m_stdin = std::move(text);
      }
      return *m_stdin;
    };
  });
}

TurnResult Dialogue::run(const TurnPlan& plan, AnswerSink& view) {
  TurnResult result = Turn(*this, plan, view).run();
  if (!result.messages.empty()) m_attachments.settle();
  return result;
}

std::vector<std::string> answer_messages(View view, const ModelReply& got) {
  std::vector<std::string> said;
  if (got.answer.choices.empty()) return said;
  const Choice& choice = got.answer.choices.front();
  if (view != View::Response) {
    // Calls of an interrupted answer were never run and are not part of the conversation.
    Choice whole = choice;
    const bool broke_off = got.error || (!choice.tool_calls.empty() && answer_error(got.answer));
    if (broke_off) whole.tool_calls.clear();
    if (broke_off && whole.text.empty()) return said;
    said.push_back(chat_message(whole));
    return said;
  }
  if (got.error) {
    if (choice.text.empty()) return said;
    OrderedJson part = {{"type", "output_text"}, {"text", choice.text}};
    OrderedJson item = {{"type", "message"}, {"role", "assistant"}};
    item["content"] = OrderedJson::array({std::move(part)});
    said.push_back(compact_json(item));
    return said;
  }
  if (const auto output = json_member(got.document, "output")) {
    for (const std::string_view item : json_elements(*output)) said.emplace_back(item);
  }
  return said;
}

std::string tool_message(View view, const std::string& call, const std::string& output,
                         const std::vector<std::string>& images) {
  const bool response = view == View::Response;
  OrderedJson content = output;
  if (!images.empty()) {
    content = OrderedJson::array();
    if (!output.empty()) {
      content.push_back({{"type", response ? "input_text" : "text"}, {"text", output}});
    }
    for (const std::string& image : images) {
      content.push_back(response
                            ? OrderedJson{{"type", "input_image"}, {"image_url", image}}
                            : OrderedJson{{"type", "image_url"}, {"image_url", {{"url", image}}}});
    }
  }
  if (response) {
    return compact_json(OrderedJson{
        {"type", "function_call_output"}, {"call_id", call}, {"output", std::move(content)}});
  }
  return compact_json(
      OrderedJson{{"role", "tool"}, {"tool_call_id", call}, {"content", std::move(content)}});
}

}  // namespace svc::cli
