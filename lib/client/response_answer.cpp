// POST /v1/responses: whole documents and events.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "client/answer.h"
#include "client/answer_parts.h"
#include "client/api_error.h"
#include "json/document.h"
#include "json/slices.h"

namespace svc {

using namespace answer_parts;
using nlohmann::json;
using sv = std::string_view;

namespace {

void read_message(const json& item, Answer& answer) {
  Choice& choice = answer.choices.front();
  for (const json& part : member(item, "content")) {
    const std::string type = text_member(part, "type");
    if (type == "output_text") choice.text += text_member(part, "text");
    if (type == "refusal") choice.refusal += text_member(part, "refusal");
    for (const json& note : member(part, "annotations")) {
      if (const std::string url = text_member(note, "url"); !url.empty()) {
        answer.citations.push_back(url);
      }
    }
  }
}

/// One line about a tool that the service ran: "web_search: svc weather", "mcp: docs.find {…}".
std::string tool_line(const json& item) {
  std::string name = text_member(item, "type");
  if (const auto at = name.rfind("_call"); at != std::string::npos) name.erase(at);
  const json& action = member(item, "action");
  for (const char* member_name : {"query", "url"}) {
    if (const std::string text = text_member(action, member_name); !text.empty()) {
      return fmt::format("{}: {}", name, text);
    }
  }
  std::string words = text_member(item, "server_label");
  for (const char* member_name : {"name", "arguments", "code", "input", "prompt"}) {
    const std::string text = text_member(item, member_name);
    if (text.empty()) continue;
    const bool labelled = !words.empty() && sv(member_name) == "name";
    words += (words.empty() ? "" : labelled ? "." : " ") + text;
  }
  for (const json& query : member(item, "queries")) {
    if (query.is_string()) words += (words.empty() ? "" : ", ") + query.get<std::string>();
  }
  return words.empty() ? name : fmt::format("{}: {}", name, words);
}

void add_line(std::string& lines, sv line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (!line.empty()) lines.append(lines.empty() ? "" : "\n").append(line);
}

/// What such a tool gave, as far as the service tells: logs, hits, pages, the text of a server.
std::string tool_output(const json& item) {
  std::string lines;
  for (const json& output : member(item, "outputs")) {
    add_line(lines, text_member(output, "logs"));
    add_line(lines, text_member(output, "url"));
  }
  for (const json& hit : member(item, "results")) {
    const json& score = member(hit, "score");
    add_line(lines, fmt::format("{}  {}  {}: {}",
                                score.is_number() ? fmt::format("{:.4g}", score.get<double>()) : "",
                                text_member(hit, "file_id"), text_member(hit, "filename"),
                                text_member(hit, "text")));
  }
  for (const json& source : member(member(item, "action"), "sources")) {
    add_line(lines, text_member(source, "url"));
  }
  add_line(lines, text_member(item, "output"));
  const json& error = member(item, "error");
  if (!error.is_null()) {
    add_line(lines, "error: " + (error.is_string()           ? error.get<std::string>()
                                 : error.contains("message") ? text_member(error, "message")
                                                             : compact_json(error)));
  }
  return lines;
}

/// The picture that such a tool made, in base64; a data URL loses its head.
void read_image(const json& item, std::vector<std::string>& images) {
  std::string encoded = text_member(item, "result");
  if (text_member(item, "type") != "image_generation_call" || encoded.empty()) return;
  constexpr sv k_mark = ";base64,";
  const auto head = sv(encoded).substr(0, 128).find(k_mark);
  if (encoded.starts_with("data:") && head != sv::npos) encoded.erase(0, head + k_mark.size());
  images.push_back(std::move(encoded));
}

bool is_service_call(const std::string& type) {
  return type.ends_with("_call") && type != "function_call" && type != "shell_call";
}

void read_item(const json& item, Answer& answer) {
  const std::string type = text_member(item, "type");
  Choice& choice = answer.choices.front();
  if (type == "message") {
    read_message(item, answer);
  } else if (type == "reasoning") {
    const json& summary = member(item, "summary");
    const bool whole = summary.empty();
    for (const json& part : whole ? member(item, "content") : summary) {
      choice.reasoning += text_member(part, "text");
    }
  } else if (type == "function_call") {
    choice.tool_calls.push_back({text_member(item, "call_id"), text_member(item, "name"),
                                 text_member(item, "arguments"), false});
  } else if (type == "shell_call") {
    choice.tool_calls.push_back(
        {text_member(item, "call_id"), "shell", compact_json(member(item, "action")), false});
  } else if (is_service_call(type)) {
    choice.tool_calls.push_back(
        {text_member(item, "id"), tool_line(item), "", true, tool_output(item)});
    read_image(item, answer.images);
  }
}

class ResponseStream final : public AnswerStream {
 public:
  ResponseStream(Keep keep, std::vector<std::string> secrets)
      : m_keep(keep), m_secrets(std::move(secrets)) {
    m_answer.choices.resize(1);
  }

  [[nodiscard]] bool ended() const override { return m_terminal; }

  Result<void> feed(std::string_view data, const DeltaSink& sink) override {
    if (m_terminal) return {};
    ++m_events;
    if (data == "[DONE]") return {};
    SVC_TRY(event, parse_event(data, m_events));
    const std::string type = text_member(event, "type");
    check_order(event);
    if (type == "response.failed") keep_terminal(data);
    if (auto failed = error_in_body(event, m_secrets)) return *std::move(failed);
    if (type == "response.completed" || type == "response.incomplete" || type == "response.done") {
      return read_end(event, data);
    }
    if (const json& response = member(event, "response"); response.is_object()) {
      if (m_answer.id.empty()) m_answer.id = text_member(response, "id");
      return {};
    }
    read_delta(event, type, sink);
    return {};
  }

  Result<void> finish() override { return m_terminal ? Result<void>() : ended_early(m_events); }

  [[nodiscard]] const Answer& answer() const override { return m_answer; }
  [[nodiscard]] std::string document() const override {
    return m_document.empty() ? partial_document() : m_document;
  }
  [[nodiscard]] std::vector<std::string> take_warnings() override {
    return std::exchange(m_warnings, {});
  }

 private:
  /// What had arrived of a response whose end never came.
  [[nodiscard]] std::string partial_document() const {
    const std::string& text = m_answer.choices.front().text;
    if (m_answer.id.empty() && text.empty()) return {};
    OrderedJson part = {{"type", "output_text"}, {"text", text}};
    OrderedJson item = {{"type", "message"},
                        {"role", "assistant"},
                        {"status", "in_progress"},
                        {"content", {std::move(part)}}};
    return compact_json(OrderedJson{{"id", m_answer.id},
                                    {"object", "response"},
                                    {"status", "in_progress"},
                                    {"output", {std::move(item)}}});
  }

  void check_order(const json& event) {
    const json& number = member(event, "sequence_number");
    if (!number.is_number_integer()) return;
    const auto value = number.get<std::int64_t>();
    if (m_sequence && (value <= *m_sequence || value - 1 != *m_sequence) && !m_gap_told) {
      m_gap_told = true;
      m_warnings.push_back(fmt::format(
          "events are missing or out of order: number {} came after {}", value, *m_sequence));
    }
    m_sequence = value;
  }

  /// The response as it stands in the event, byte for byte.
  void keep_terminal(std::string_view data) {
    m_document = std::string(json_member(data, "response").value_or(""));
  }

  /// The terminal event carries the whole response: it counts, the deltas were for show.
  Result<void> read_end(const json& event, std::string_view data) {
    keep_terminal(data);
    if (auto failed = error_in_body(member(event, "response"), m_secrets)) {
      return *std::move(failed);
    }
    SVC_TRY(answer, read_response(member(event, "response")));
    if (answer.choices.front().text.empty()) {
      answer.choices.front().text = m_answer.choices.front().text;
    }
    if (answer.images.empty()) answer.images = std::move(m_answer.images);
    m_answer = std::move(answer);
    // The event's name says so too, should the response not.
    if (m_answer.status.empty() && text_member(event, "type") == "response.incomplete") {
      m_answer.status = "incomplete";
    }
    m_terminal = true;
    return {};
  }

  void read_delta(const json& event, const std::string& type, const DeltaSink& sink) {
    Choice& choice = m_answer.choices.front();
    const std::string delta = text_member(event, "delta");
    if (delta.empty() && type != "response.output_item.done") return;
    if (type == "response.output_text.delta") {
      if (m_keep != Keep::Nothing) choice.text += delta;
      sink({Piece::Text, 0, delta});
    } else if (type == "response.reasoning_summary_text.delta" ||
               type == "response.reasoning_text.delta") {
      choice.reasoning += delta;
      sink({Piece::Reasoning, 0, delta});
    } else if (type == "response.refusal.delta") {
      choice.refusal += delta;
      sink({Piece::Refusal, 0, delta});
    } else if (type == "response.output_item.done") {
      const json& item = member(event, "item");
      const std::string kind = text_member(item, "type");
      if (is_service_call(kind)) {
        const std::string line = tool_line(item);
        sink({Piece::Tool, 0, line});
        const std::string output = tool_output(item);
        if (!output.empty()) sink({Piece::ToolOutput, 0, output});
        // Should the stream break, what was made and paid for is here.
        read_image(item, m_answer.images);
      }
    }
  }

  Keep m_keep;
  std::vector<std::string> m_secrets;
  Answer m_answer{};
  std::string m_document{};
  std::vector<std::string> m_warnings{};
  std::optional<std::int64_t> m_sequence{};
  std::size_t m_events = 0;
  bool m_gap_told = false;
  bool m_terminal = false;
};

}  // namespace

Result<Answer> read_response(const json& document) {
  const json& output = member(document, "output");
  if (!document.is_object() || (!output.is_array() && !document.contains("status"))) {
    return Error{Fault::Network, "the answer is not a response: it has no output"};
  }
  Answer answer;
  answer.choices.resize(1);
  answer.id = text_member(document, "id");
  answer.model = text_member(document, "model");
  answer.status = text_member(document, "status");
  answer.incomplete_reason = text_member(member(document, "incomplete_details"), "reason");
  for (const json& item : output) read_item(item, answer);
  answer.usage = usage_of(document);
  return answer;
}

std::unique_ptr<AnswerStream> answer_parts::make_response_stream(Keep keep,
                                                                 std::vector<std::string> secrets) {
  return std::make_unique<ResponseStream>(keep, std::move(secrets));
}

}  // namespace svc
