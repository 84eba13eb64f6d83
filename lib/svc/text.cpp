#include "svc/text.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalogue/chat_answers.h"
#include "catalogue/responses_answers.h"
#include "client/answer.h"
#include "client/api_error.h"
#include "json/document.h"
#include "json/slices.h"
#include "request/convert.h"
#include "request/media.h"
#include "svc/impl/call.h"
#include "svc/impl/rows.h"
#include "svc/impl/usage.h"

namespace svc::v0 {
namespace {

// The answers' reader, which the program shares, fills the typed answers. They have no member that
// no row has.
namespace chat_rows = catalogue::answer::chat;
static_assert(has_row(chat_rows::k_members, "id") && has_row(chat_rows::k_members, "model") &&
              has_row(chat_rows::k_members, "choices[].message.content") &&
              has_row(chat_rows::k_members, "choices[].message.reasoning_content") &&
              has_row(chat_rows::k_members, "choices[].message.refusal") &&
              has_row(chat_rows::k_members, "choices[].finish_reason") &&
              has_row(chat_rows::k_members, "choices[].message.tool_calls[].id") &&
              has_row(chat_rows::k_members, "choices[].message.tool_calls[].function.name") &&
              has_row(chat_rows::k_members, "choices[].message.tool_calls[].function.arguments") &&
              has_row(chat_rows::k_members, "citations[]"));
static_assert(has_row(chat_rows::k_members, "usage.prompt_tokens") &&
              has_row(chat_rows::k_members, "usage.prompt_tokens_details.cached_tokens") &&
              has_row(chat_rows::k_members, "usage.completion_tokens") &&
              has_row(chat_rows::k_members, "usage.completion_tokens_details.reasoning_tokens") &&
              has_row(chat_rows::k_members, "usage.cost_in_usd_ticks"));
namespace response_rows = catalogue::answer::responses;
static_assert(has_row(response_rows::k_members, "id") &&
              has_row(response_rows::k_members, "model") &&
              has_row(response_rows::k_members, "status") &&
              has_row(response_rows::k_members, "output[].content[].text") &&
              has_row(response_rows::k_members, "output[].content[].refusal") &&
              has_row(response_rows::k_members, "output[].summary[].text") &&
              has_row(response_rows::k_members, "output[].call_id") &&
              has_row(response_rows::k_members, "output[].name") &&
              has_row(response_rows::k_members, "output[].arguments") &&
              has_row(response_rows::k_members, "output[].content[].annotations[].url") &&
              has_row(response_rows::k_members, "usage.input_tokens") &&
              has_row(response_rows::k_members, "usage.output_tokens"));

/// A model's answer, and the request that it answers.
struct Round {
  svc::Answer answer{};
  std::string document{};
  bool stopped = false;
};

std::string content_of(const Message& message) {
  OrderedJson json = {{"role", message.role}};
  OrderedJson calls = OrderedJson::array();
  for (const ToolCall& call : message.tool_calls) {
    calls.push_back({{"id", call.id},
                     {"type", "function"},
                     {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
  }
  const bool only_calls = message.content.empty() && !calls.empty();
  json["content"] = only_calls ? OrderedJson() : OrderedJson(message.content);
  if (!calls.empty()) json["tool_calls"] = std::move(calls);
  if (!message.tool_call_id.empty()) json["tool_call_id"] = message.tool_call_id;
  return compact_json(json);
}

/// A model may leave out those of a function that has none.
std::string arguments_of(const svc::ToolCall& call) {
  const sv given = trim(call.arguments);
  return given.empty() ? "{}" : std::string(given);
}

/// The message of a chat's answer, for the request that follows it.
std::string answer_message(const svc::Choice& choice) {
  Message message{.role = "assistant", .content = choice.text};
  for (const svc::ToolCall& call : choice.tool_calls) {
    if (!call.runs_on_service) message.tool_calls.push_back({call.id, call.name, call.arguments});
  }
  return content_of(message);
}

svc::Result<std::string> tool_json(const Tool& tool, bool response) {
  OrderedJson function = {{"name", tool.name}};
  if (!tool.description.empty()) function["description"] = tool.description;
  SVC_TRY(parameters,
          request::parse_user_json(
              fmt::format("the parameters of the tool {}", shown(tool.name)),
              tool.parameters.empty() ? R"({"type":"object","properties":{}})" : tool.parameters));
  function["parameters"] = std::move(parameters);
  if (!response) return compact_json(OrderedJson{{"type", "function"}, {"function", function}});
  function["type"] = "function";
  return compact_json(function);
}

svc::Result<std::string> format_json(const std::string& schema, bool response) {
  if (schema.empty()) return std::string();
  SVC_TRY(parsed, request::parse_user_json("the schema", schema));
  OrderedJson named = {{"name", "answer"}, {"schema", std::move(parsed)}, {"strict", true}};
  if (!response) {
    return compact_json(OrderedJson{{"type", "json_schema"}, {"json_schema", std::move(named)}});
  }
  named["type"] = "json_schema";
  return compact_json(named);
}

/// Receives one answer, as a stream or at once.
class AnswerReceiver {
 public:
  AnswerReceiver(Call& call, const request::Request& request, const OnDelta* on_delta)
      : m_call(call), m_request(request), m_on_delta(on_delta) {}

  svc::Result<Round> run() {
    if (!m_request.stream) {
      SVC_TRY(reply, m_call.send(m_request));
      SVC_TRY(done, m_call.finish(*m_request.operation, std::move(reply)));
      return whole(std::move(done.body));
    }
    SVC_TRY(api, m_call.client(m_request.operation->host));
    m_stream = make_answer_stream(m_request.operation->view, svc::Retain::Text, m_call.secrets());
    auto reply = api->stream(
        m_request, [this](sv data) { return event(data); }, [this] { return verdict(); },
        [this](sv bytes) {
          return m_stopped ? http::SseRun() : m_stream->feed_run(bytes, m_sink);
        });
    if (!reply && !m_stopped && !m_stream->ended()) return std::move(reply).error();
    m_call.note_answered(*m_request.operation);
    if (reply && !reply->streamed) return whole(std::move(reply->body));
    if (!m_stopped) SVC_CHECK(m_stream->finish());
    return Round{
        .answer = m_stream->answer(), .document = m_stream->document(), .stopped = m_stopped};
  }

 private:
  svc::Result<Round> whole(std::string body) {
    const nlohmann::json document = parse_reply(body);
    if (auto failed = error_in_body(document, m_call.secrets())) return *std::move(failed);
    SVC_TRY(answer, read_answer(m_request.operation->view, document));
    Round round{.answer = std::move(answer), .document = std::move(body)};
    if (m_on_delta != nullptr && !round.answer.choices.empty()) {
      // The service answered at once.
      pass_on({.kind = svc::DeltaKind::Text, .text = round.answer.choices.front().text});
      round.stopped = m_stopped;
    }
    return round;
  }

  svc::Result<void> event(sv data) {
    if (m_stream->ended()) return {};
    SVC_CHECK(m_stream->feed(data, m_sink));
    return verdict();
  }

  [[nodiscard]] svc::Result<void> verdict() const {
    return m_stopped ? svc::Result<void>(canceled(svc::Fault::Interrupted)) : svc::Result<void>();
  }

  void pass_on(const svc::Delta& from) {
    if (m_on_delta == nullptr || m_stopped || from.choice != 0 || from.text.empty()) return;
    Delta delta{.text = from.text};
    if (from.kind == svc::DeltaKind::Reasoning) delta.kind = Delta::Kind::Reasoning;
    if (from.kind == svc::DeltaKind::Refusal) delta.kind = Delta::Kind::Refusal;
    if (from.kind == svc::DeltaKind::Tool || from.kind == svc::DeltaKind::ToolOutput) return;
    m_stopped = !m_call.ask([&] { return (*m_on_delta)(delta); });
  }

  Call& m_call;
  const request::Request& m_request;
  const OnDelta* m_on_delta;
  std::unique_ptr<svc::AnswerStream> m_stream{};
  bool m_stopped = false;
  svc::DeltaSink m_sink = [this](const svc::Delta& delta) { pass_on(delta); };
};

/// A request to a model, repeated with the results of the tools that it calls.
class Dialogue {
 public:
  Dialogue(Call& call, const Operation& operation, const FlagList& flags,
           const std::vector<Tool>& tools, int max_rounds, const OnDelta* on_delta)
      : m_call(call),
        m_operation(operation),
        m_flags(flags),
        m_tools(tools),
        m_rounds_left(max_rounds),
        m_on_delta(on_delta),
        m_response(operation.view == View::Response) {}

  /// `schema`: that of the answer.
  svc::Result<Round> run(request::PriorTurns thread, const std::string& schema) {
    SVC_TRY(inputs, m_flags.inputs(m_operation));
    std::vector<std::string> tools;
    for (const Tool& tool : m_tools) {
      SVC_TRY(json, tool_json(tool, m_response));
      tools.push_back(std::move(json));
    }
    SVC_TRY(format, format_json(schema, m_response));
    svc::Usage usage;
    while (true) {
      SVC_TRY(request, m_call.prepare(m_operation, inputs, [&](request::BuildContext& context) {
        context.thread = thread;
        context.tools = tools;
        context.format = format;
        context.stream_by_default = m_on_delta != nullptr;
      }));
      SVC_TRY(round, AnswerReceiver(m_call, request, m_on_delta).run());
      if (round.answer.usage) usage.add(*round.answer.usage);
      if (round.answer.usage) round.answer.usage = usage;
      const bool over = round.stopped || round.answer.choices.empty() || !runs_all(round.answer);
      if (over) return std::move(round);
      if (m_rounds_left-- <= 0) {
        return svc::Error{svc::Fault::RemoteJob,
                          "the model keeps calling tools; max_tool_rounds is reached",
                          "Raise max_tool_rounds, or say in the prompt when to stop."};
      }
      SVC_CHECK(add(thread, request, round));
      SVC_CHECK(run_tools(thread, round.answer));
    }
  }

 private:
  [[nodiscard]] const Tool* find(const std::string& name) const {
    const auto found = std::ranges::find(m_tools, name, &Tool::name);
    return found == m_tools.end() ? nullptr : &*found;
  }

  /// Whether the answer calls functions, all of which can be run here.
  [[nodiscard]] bool runs_all(const svc::Answer& answer) const {
    bool any = false;
    for (const svc::ToolCall& call : answer.choices.front().tool_calls) {
      if (call.runs_on_service) continue;
      const Tool* tool = find(call.name);
      if (tool == nullptr || !tool->run) return false;
      any = true;
    }
    return any && !answer_error(answer);
  }

  /// Adds what was said and answered.
  svc::Result<void> add(request::PriorTurns& thread, const request::Request& request,
                        const Round& round) const {
    if (m_response && request.stored && !round.answer.id.empty()) {
      thread = {.response_id = round.answer.id};
      return {};
    }
    if (!thread.answers_tools) {
      for (const Payload& message : request.said) {
        SVC_TRY(text, request::complete_body(message));
        thread.messages.push_back(std::move(text));
      }
    }
    if (!m_response) {
      thread.messages.push_back(answer_message(round.answer.choices.front()));
      return {};
    }
    if (const auto output = json_member(round.document, "output")) {
      for (const sv item : json_elements(*output)) thread.messages.emplace_back(item);
    }
    return {};
  }

  /// What the tool says, or why it did not run: the model can call it again. Nothing if the call
  /// is over.
  std::optional<std::string> output_of(const svc::ToolCall& call) {
    const std::string arguments = arguments_of(call);
    if (check_json(arguments) || !arguments.starts_with('{')) {
      return "Error: the arguments are not a JSON object";
    }
    std::string output;
    const bool ran = m_call.ask([&] {
      Result<std::string> result = find(call.name)->run(arguments);
      output = result ? *std::move(result) : fmt::format("Error: {}", result.error().message);
      return true;
    });
    if (!ran || m_call.cancel().requested()) return std::nullopt;
    return output;
  }

  svc::Result<void> run_tools(request::PriorTurns& thread, const svc::Answer& answer) {
    for (const svc::ToolCall& call : answer.choices.front().tool_calls) {
      if (call.runs_on_service) continue;
      const auto output = output_of(call);
      if (!output) return canceled(svc::Fault::Interrupted);
      thread.messages.push_back(
          m_response
              ? compact_json(OrderedJson{
                    {"type", "function_call_output"}, {"call_id", call.id}, {"output", *output}})
              : compact_json(OrderedJson{
                    {"role", "tool"}, {"tool_call_id", call.id}, {"content", *output}}));
    }
    thread.answers_tools = true;
    return {};
  }

  Call& m_call;
  const Operation& m_operation;
  const FlagList& m_flags;
  const std::vector<Tool>& m_tools;
  int m_rounds_left;
  const OnDelta* m_on_delta;
  bool m_response;
};

/// The members that both answers have. `limit_flag`: see svc::answer_error().
template <typename Typed>
Typed typed_answer(Round round, sv limit_flag) {
  Typed typed;
  if (!round.stopped) {
    auto lacking = answer_error(round.answer, limit_flag);
    if (!lacking) lacking = bad_arguments(round.answer);
    if (lacking) typed.lacking = exported(*std::move(lacking));
  }
  typed.id = std::move(round.answer.id);
  typed.model = std::move(round.answer.model);
  typed.citations = std::move(round.answer.citations);
  if (round.answer.usage) typed.usage = usage_of(*round.answer.usage);
  typed.stopped = round.stopped;
  typed.json = std::move(round.document);
  if (round.answer.choices.empty()) return typed;
  svc::Choice& choice = round.answer.choices.front();
  typed.text = std::move(choice.text);
  typed.reasoning = std::move(choice.reasoning);
  typed.refusal = std::move(choice.refusal);
  for (const svc::ToolCall& call : choice.tool_calls) {
    if (call.runs_on_service) continue;
    typed.tool_calls.push_back({call.id, call.name, arguments_of(call)});
  }
  return typed;
}

svc::Result<ChatAnswer> chat_with(Call& call, const ChatRequest& from, const OnDelta* on_delta) {
  if (on_delta != nullptr) SVC_CHECK(check_callback(*on_delta));
  FlagList flags(from.flags);
  flags.add_text("prompt", from.prompt);
  flags.add_text("model", from.model);
  flags.add_text("system", from.system);
  flags.add_all("image", from.images);
  flags.add_all("file", from.files);
  if (from.temperature) flags.add("temperature", fmt::format("{}", *from.temperature));
  flags.add_number("max-completion-tokens", from.max_completion_tokens);
  request::PriorTurns thread;
  for (const Message& message : from.messages) thread.messages.push_back(content_of(message));
  if (from.prompt.empty() && !from.messages.empty()) {
    thread.answers_tools = from.messages.back().role == "tool";
  }
  SVC_TRY(round, Dialogue(call, operation_of("chat", "create"), flags, from.tools,
                          from.max_tool_rounds, on_delta)
                     .run(std::move(thread), from.schema));
  std::string finish;
  if (!round.answer.choices.empty()) finish = round.answer.choices.front().finish_reason;
  auto answer = typed_answer<ChatAnswer>(std::move(round), "max-completion-tokens");
  answer.finish_reason = std::move(finish);
  return answer;
}

svc::Result<ResponseAnswer> respond_with(Call& call, const ResponseRequest& from,
                                         const OnDelta* on_delta) {
  if (on_delta != nullptr) SVC_CHECK(check_callback(*on_delta));
  if (!from.instructions.empty() && !from.previous_response_id.empty()) {
    return svc::usage_error("instructions and previous_response_id exclude each other",
                            "A continued conversation keeps the system prompt of the earlier "
                            "response.");
  }
  FlagList flags(from.flags);
  flags.add_text("input", from.input);
  flags.add_text("model", from.model);
  flags.add_text("instructions", from.instructions);
  flags.add_all("image", from.images);
  flags.add_all("file", from.files);
  flags.add_number("max-output-tokens", from.max_output_tokens);
  SVC_TRY(round, Dialogue(call, operation_of("responses", "create"), flags, from.tools,
                          from.max_tool_rounds, on_delta)
                     .run({.response_id = from.previous_response_id}, from.schema));
  std::string status = round.answer.status;
  auto answer = typed_answer<ResponseAnswer>(std::move(round), "max-output-tokens");
  answer.status = std::move(status);
  return answer;
}

}  // namespace

Usage usage_of(const svc::Usage& usage) {
  return {.input_tokens = usage.input_tokens,
          .cached_tokens = usage.cached_tokens,
          .output_tokens = usage.output_tokens,
          .reasoning_tokens = usage.reasoning_tokens,
          .cost_in_usd_ticks = usage.cost_ticks};
}

Result<ChatAnswer> Client::chat(const ChatRequest& request, const CallOptions& options) const {
  return run_call<ChatAnswer>(m_state, options,
                              [&](Call& call) { return chat_with(call, request, nullptr); });
}

Result<ChatAnswer> Client::chat(const ChatRequest& request, const OnDelta& on_delta,
                                const CallOptions& options) const {
  return run_call<ChatAnswer>(m_state, options,
                              [&](Call& call) { return chat_with(call, request, &on_delta); });
}

Result<ResponseAnswer> Client::responses(const ResponseRequest& request,
                                         const CallOptions& options) const {
  return run_call<ResponseAnswer>(m_state, options,
                                  [&](Call& call) { return respond_with(call, request, nullptr); });
}

Result<ResponseAnswer> Client::responses(const ResponseRequest& request, const OnDelta& on_delta,
                                         const CallOptions& options) const {
  return run_call<ResponseAnswer>(
      m_state, options, [&](Call& call) { return respond_with(call, request, &on_delta); });
}

}  // namespace svc::v0
