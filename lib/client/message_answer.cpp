// POST /v1/messages, as documents and named events; and POST /v1/complete, the older format, which
// has one `completion`.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "client/answer.h"
#include "client/answer_parts.h"
#include "client/api_error.h"
#include "json/document.h"
#include "json/text.h"

namespace svc {

using namespace answer_parts;
using nlohmann::json;

namespace {

constexpr std::size_t k_max_blocks = 1024;

/// Replaces a block's input while that is incomplete.
constexpr const char* k_partial = "partial_json";

std::string arguments_of(const json& block) {
  if (block.contains(k_partial)) return text_member(block, k_partial);
  return compact_json(member(block, "input"));
}

void read_block(const json& block, Choice& choice) {
  const std::string type = text_member(block, "type");
  if (type == "text") choice.text += text_member(block, "text");
  if (type == "thinking") choice.reasoning += text_member(block, "thinking");
  if (type == "tool_use" || type.ends_with("_tool_use")) {
    choice.tool_calls.push_back({text_member(block, "id"), text_member(block, "name"),
                                 arguments_of(block), type != "tool_use"});
  }
}

/// Fields with a value replace earlier ones.
void merge(OrderedJson& whole, const OrderedJson& fragment) {
  if (!fragment.is_object()) return;
  if (!whole.is_object()) whole = OrderedJson::object();
  for (const auto& [name, value] : fragment.items()) {
    if (!value.is_null() || !whole.contains(name)) whole[name] = value;
  }
}

class MessageStream final : public AnswerStream {
 public:
  MessageStream(Retain retain, std::vector<std::string> secrets)
      : m_retain(retain), m_secrets(std::move(secrets)) {}

  [[nodiscard]] bool ended() const override { return m_stopped; }

  Result<void> finish() override {
    // As in chat, a connection that closes after the stop reason is complete.
    const json whole = parse_reply(document());
    if (!m_stopped && text_member(whole, "stop_reason").empty()) return ended_early(m_events);
    SVC_TRY(answer, read_message(whole));
    m_answer = std::move(answer);
    return {};
  }

  [[nodiscard]] const Answer& answer() const override { return m_answer; }

  [[nodiscard]] std::string document() const override {
    if (m_document.empty() && m_blocks.empty()) return {};
    OrderedJson whole = m_document;
    OrderedJson& content = whole["content"];
    content = OrderedJson::array();
    for (const Block& block : m_blocks) {
      content.push_back(block.content);
      if (!block.partial.empty()) content.back()[k_partial] = block.partial;
    }
    return compact_json(whole);
  }

 private:
  Result<void> handle_event(std::string_view data, const DeltaSink& sink) override {
    if (m_stopped) return {};
    ++m_events;
    if (data == "[DONE]") return {};
    SVC_TRY(checked, parse_event(data, m_events));
    if (auto failed = error_in_body(checked, m_secrets)) return *std::move(failed);
    if (!checked.is_object()) {
      return Error{Fault::Network,
                   fmt::format("event {} of the stream is not an object", m_events)};
    }
    const OrderedJson event = parse_reply_in_order(data);
    const std::string type = text_member(checked, "type");
    if (type == "message_start") start(event);
    if (type == "content_block_start") start_block(event, sink);
    if (type == "content_block_delta") add_to_block(event, sink);
    if (type == "content_block_stop") stop_block(event);
    if (type == "message_delta") read_end(event);
    if (type == "message_stop") m_stopped = true;
    return {};
  }

  struct Block {
    OrderedJson content = OrderedJson::object();
    std::string partial{};  ///< the input received so far
  };

  void start(const OrderedJson& event) {
    if (const auto message = event.find("message"); message != event.end()) {
      merge(m_document, *message);
    }
    m_answer.choices.resize(1);
    const json head = m_document;
    m_answer.id = text_member(head, "id");
    m_answer.model = text_member(head, "model");
  }

  /// The block that an event refers to; the last one if it has no index.
  Block& block_of(const OrderedJson& event, bool begins) {
    std::size_t at = begins ? m_blocks.size() : std::max<std::size_t>(m_blocks.size(), 1) - 1;
    const auto index = event.find("index");
    if (index != event.end() && index->is_number_unsigned()) at = index->get<std::size_t>();
    at = std::min(at, k_max_blocks - 1);
    if (m_blocks.size() <= at) m_blocks.resize(at + 1);
    m_answer.choices.resize(1);
    return m_blocks[at];
  }

  void start_block(const OrderedJson& event, const DeltaSink& sink) {
    Block& block = block_of(event, true);
    const auto content = event.find("content_block");
    if (content == event.end() || !content->is_object()) return;
    merge(block.content, *content);
    for (const char* name : {"text", "thinking"}) {
      const auto text = content->find(name);
      if (text == content->end() || !text->is_string()) continue;
      emit(name, text->get_ref<const std::string&>(), sink);
      if (!retains(name)) block.content[name] = "";
    }
  }

  void add_to_block(const OrderedJson& event, const DeltaSink& sink) {
    Block& block = block_of(event, false);
    const auto delta = event.find("delta");
    if (delta == event.end() || !delta->is_object()) return;
    for (const auto& [name, value] : delta->items()) {
      if (name == "type") continue;
      if (!value.is_string()) {
        block.content[name] = value;
        continue;
      }
      const auto& text = value.get_ref<const std::string&>();
      if (name == k_partial) {
        block.partial += text;
        continue;
      }
      emit(name, text, sink);
      if (!retains(name)) continue;
      OrderedJson& whole = block.content[name];
      whole = whole.is_string() ? whole.get_ref<const std::string&>() + text : text;
    }
  }

  static void stop_block(Block& block) {
    if (block.partial.empty() || check_json(block.partial)) return;
    block.content["input"] = parse_reply_in_order(block.partial);
    block.partial.clear();
  }

  void stop_block(const OrderedJson& event) { stop_block(block_of(event, false)); }

  void read_end(const OrderedJson& event) {
    m_answer.choices.resize(1);
    if (const auto delta = event.find("delta"); delta != event.end()) merge(m_document, *delta);
    if (const auto usage = event.find("usage"); usage != event.end()) {
      merge(m_document["usage"], *usage);
    }
  }

  [[nodiscard]] bool retains(std::string_view name) const {
    return m_retain != Retain::Nothing || name != "text";
  }

  static void emit(std::string_view name, const std::string& text, const DeltaSink& sink) {
    if (text.empty()) return;
    if (name == "text") sink({DeltaKind::Text, 0, text});
    if (name == "thinking") sink({DeltaKind::Reasoning, 0, text});
  }

  Retain m_retain;
  std::vector<std::string> m_secrets;
  Answer m_answer{};
  OrderedJson m_document = OrderedJson::object();
  std::vector<Block> m_blocks{};
  std::size_t m_events = 0;
  bool m_stopped = false;
};

}  // namespace

Result<Answer> read_message(const json& document) {
  const json& content = member(document, "content");
  const json& completion = member(document, "completion");
  if (!content.is_array() && !completion.is_string()) {
    return Error{Fault::Network, "not a message: response has no content"};
  }
  Answer answer;
  answer.choices.resize(1);
  answer.id = text_member(document, "id");
  answer.model = text_member(document, "model");
  Choice& choice = answer.choices.front();
  choice.text = text_member(document, "completion");
  choice.finish_reason = text_member(document, "stop_reason");
  for (const json& block : content) read_block(block, choice);
  answer.usage = usage_of(document);
  return answer;
}

std::unique_ptr<AnswerStream> answer_parts::make_message_stream(Retain retain,
                                                                std::vector<std::string> secrets) {
  return std::make_unique<MessageStream>(retain, std::move(secrets));
}

}  // namespace svc
