// POST /v1/chat/completions, as documents and chunks; and POST /v1/completions, which has `text`
// instead of message and delta.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "client/answer.h"
#include "client/answer_parts.h"
#include "client/api_error.h"
#include "client/chat_document.h"
#include "client/fast_delta.h"
#include "json/document.h"

namespace svc {

using namespace answer_parts;
using nlohmann::json;

namespace {

/// Types of tools that run on the service and not on the client.
bool runs_on_service(const std::string& type) {
  return !type.empty() && type != "function";
}

Result<ToolCall> tool_call(const json& from) {
  const json& function = member(from, "function");
  SVC_TRY(arguments, expect_text(function, "arguments"));
  return ToolCall{text_member(from, "id"), text_member(function, "name"), std::move(arguments),
                  runs_on_service(text_member(from, "type"))};
}

void read_lists(const json& document, Answer& answer) {
  for (const json& citation : member(document, "citations")) {
    if (citation.is_string()) answer.citations.push_back(citation.get<std::string>());
    if (citation.is_object()) answer.citations.push_back(text_member(citation, "url"));
  }
  for (const json& file : member(document, "output_files")) {
    answer.output_files.push_back(
        fmt::format("{} {}", text_member(file, "file_id"), text_member(file, "name")));
  }
}

class ChatStream final : public AnswerStream {
 public:
  ChatStream(Retain retain, std::vector<std::string> secrets)
      : m_retain(retain), m_secrets(std::move(secrets)) {}

  [[nodiscard]] bool ended() const override { return m_done; }
  [[nodiscard]] bool is_compact_line() const override { return m_compact_line; }

  http::SseRun feed_run(std::string_view bytes, const DeltaSink& sink) override {
    if (m_done) return {};
    const http::SseRun run = m_reader.read_run(bytes, m_delta);
    m_events += run.events;
    if (run.events > 0) take_fast_delta(sink);
    return run;
  }

  Result<void> finish() override {
    bool ended = m_done && !m_answer.choices.empty();
    if (!m_done && !m_answer.choices.empty()) {
      ended = true;
      for (const Choice& choice : m_answer.choices) ended = ended && !choice.finish_reason.empty();
    }
    return ended ? Result<void>() : ended_early(m_events);
  }

  [[nodiscard]] const Answer& answer() const override { return m_answer; }

  [[nodiscard]] std::string document() const override { return m_document.text(); }

 private:
  Result<void> handle_event(std::string_view data, const DeltaSink& sink) override {
    m_compact_line = false;
    if (m_done) return {};
    ++m_events;
    if (data == "[DONE]") {
      m_done = true;
      return {};
    }
    // The first chunk of a choice is fully parsed: it contains id, model and role.
    if (m_reader.read(data, m_delta) && is_started(m_delta.index)) {
      m_compact_line = m_reader.is_compact();
      take_fast_delta(sink);
      return {};
    }
    SVC_TRY(chunk, parse_event(data, m_events));
    if (auto failed = error_in_body(chunk, m_secrets)) return *std::move(failed);
    if (!chunk.is_object()) {
      return Error{Fault::Network,
                   fmt::format("event {} of the stream is not an object", m_events)};
    }
    read_head(chunk);
    for (const json& choice : member(chunk, "choices")) SVC_CHECK(read_choice(choice, sink));
    if (m_retain != Retain::Nothing) m_document.add(data);
    if (const auto usage = usage_of(chunk)) m_answer.usage = usage;
    read_lists(chunk, m_answer);
    return {};
  }

  void take_fast_delta(const DeltaSink& sink) {
    Choice& choice = choice_at(m_delta.index);
    if (retains(m_delta.index)) choice.text += m_delta.content;
    if (m_retain != Retain::Nothing) m_document.add_content(m_delta.index, m_delta.content);
    if (!m_delta.content.empty()) sink({DeltaKind::Text, m_delta.index, m_delta.content});
  }

  [[nodiscard]] bool is_started(int index) const {
    const auto at = static_cast<std::size_t>(index);
    return at < m_started.size() && m_started[at];
  }

  [[nodiscard]] bool retains(int index) const {
    return m_retain == Retain::Text || (m_retain == Retain::Nothing && index > 0);
  }

  Choice& choice_at(int index) {
    const auto at = static_cast<std::size_t>(index);
    if (m_answer.choices.size() <= at) m_answer.choices.resize(at + 1);
    return m_answer.choices[at];
  }

  void read_head(const json& chunk) {
    if (m_answer.id.empty()) m_answer.id = text_member(chunk, "id");
    if (m_answer.model.empty()) m_answer.model = text_member(chunk, "model");
  }

  Result<void> read_choice(const json& from, const DeltaSink& sink) {
    SVC_TRY(index, index_of(from, "choice"));
    Choice& choice = choice_at(static_cast<int>(index));
    m_started.resize(m_answer.choices.size());
    m_started[index] = true;
    const json& delta = member(from, "delta");
    SVC_TRY(content, expect_text(delta, "content"));
    SVC_TRY(completion, expect_text(from, "text"));
    const auto take = [&](DeltaKind piece, std::string& into, const std::string& text) {
      if (text.empty()) return;
      if (piece != DeltaKind::Text || retains(static_cast<int>(index))) into += text;
      sink({piece, static_cast<int>(index), text});
    };
    take(DeltaKind::Reasoning, choice.reasoning, text_member(delta, "reasoning_content"));
    take(DeltaKind::Text, choice.text, content);
    take(DeltaKind::Text, choice.text, completion);
    take(DeltaKind::Refusal, choice.refusal, text_member(delta, "refusal"));
    for (const json& call : member(delta, "tool_calls")) SVC_CHECK(read_call(call, choice));
    if (const std::string reason = text_member(from, "finish_reason"); !reason.empty()) {
      choice.finish_reason = reason;
    }
    return {};
  }

  /// Joins fragments by index; a fragment without an index is a separate call.
  static Result<void> read_call(const json& from, Choice& choice) {
    SVC_TRY(index, index_of(from, "tool call"));
    const std::size_t at = member(from, "index").is_null() ? choice.tool_calls.size() : index;
    if (choice.tool_calls.size() <= at) choice.tool_calls.resize(at + 1);
    SVC_TRY(piece, tool_call(from));
    ToolCall& whole = choice.tool_calls[at];
    if (!piece.id.empty()) whole.id = std::move(piece.id);
    if (!piece.name.empty()) whole.name = std::move(piece.name);
    whole.arguments += piece.arguments;
    whole.runs_on_service = whole.runs_on_service || piece.runs_on_service;
    return {};
  }

  Retain m_retain;
  std::vector<std::string> m_secrets;
  Answer m_answer{};
  FastDeltaReader m_reader{};
  FastDelta m_delta{};
  ChatDocument m_document{};
  std::vector<bool> m_started{};  ///< by choice
  std::size_t m_events = 0;
  bool m_done = false;
  bool m_compact_line = false;
};

}  // namespace

Result<Answer> read_chat(const json& document) {
  const json& choices = member(document, "choices");
  if (!choices.is_array()) {
    return Error{Fault::Network, "not a chat completion: response has no choices"};
  }
  Answer answer;
  answer.id = text_member(document, "id");
  answer.model = text_member(document, "model");
  if (choices.empty()) return unexpected_answer("a choice", "none");
  for (const json& from : choices) {
    SVC_CHECK(expect_object(from, "choices"));
    const json& message = member(from, "message");
    const bool refused = text_member(from, "finish_reason") == "content_filter";
    if (!message.is_null()) SVC_CHECK(expect_object(message, "message"));
    if (message.is_null() && !from.contains("text") && !refused) {
      return unexpected_answer("a message in each choice", "none");
    }
    SVC_CHECK(index_of(from, "choice"));
    SVC_TRY(content, expect_text(message, "content"));
    SVC_TRY(completion, expect_text(from, "text"));
    Choice choice{content + completion, text_member(message, "reasoning_content"),
                  text_member(message, "refusal"), text_member(from, "finish_reason")};
    SVC_CHECK(expect_array(message, "tool_calls"));
    for (const json& from_call : member(message, "tool_calls")) {
      SVC_CHECK(expect_object(from_call, "tool_calls"));
      SVC_TRY(call, tool_call(from_call));
      choice.tool_calls.push_back(std::move(call));
    }
    answer.choices.push_back(std::move(choice));
  }
  answer.usage = usage_of(document);
  read_lists(document, answer);
  return answer;
}

std::unique_ptr<AnswerStream> answer_parts::make_chat_stream(Retain retain,
                                                             std::vector<std::string> secrets) {
  return std::make_unique<ChatStream>(retain, std::move(secrets));
}

}  // namespace svc
