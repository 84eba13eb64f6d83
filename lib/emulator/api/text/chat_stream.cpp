// A chat answer as server-sent events.
#include <memory>

#include <nlohmann/json.hpp>

#include "emulator/api/text/chat.h"
#include "emulator/handler/feed.h"

namespace svc::emulator::text {
namespace {

// Makes the chunks. Shared by all events of one stream.
class Chunks {
 public:
  Chunks(ChatAnswer answer, bool include_usage)
      : m_answer(std::move(answer)), m_include_usage(include_usage) {}

  [[nodiscard]] const ChatAnswer& answer() const { return m_answer; }

  [[nodiscard]] Json chunk(Json choices) const {
    Json chunk = {{"id", m_answer.id},
                  {"object", "chat.completion.chunk"},
                  {"created", m_answer.created},
                  {"model", m_answer.model},
                  {"choices", std::move(choices)},
                  {"system_fingerprint", k_system_fingerprint}};
    if (m_include_usage) chunk["usage"] = nullptr;
    return chunk;
  }

  [[nodiscard]] Json delta(std::size_t choice, Json delta) const {
    return chunk(Json::array({Json{{"index", choice}, {"delta", std::move(delta)}}}));
  }

  [[nodiscard]] std::string text(std::size_t choice, sv name, sv piece, bool with_citations) const {
    Json event = delta(choice, Json{{name, piece}});
    if (name == "content" && m_answer.top_logprobs) {
      event["choices"][0]["logprobs"] = logprobs_of(piece, *m_answer.top_logprobs);
    }
    if (with_citations) event["citations"] = citation_list(m_answer);
    return dump(event);
  }

  [[nodiscard]] std::string finish(std::size_t choice) const {
    Json event = delta(choice, Json::object());
    event["choices"][0]["finish_reason"] = finish_word(m_answer.said[choice].finish);
    event["service_tier"] = m_answer.tier;
    if (!m_answer.output_files.empty() && choice + 1 == m_answer.said.size()) {
      event["output_files"] = parse_json(m_answer.output_files);
    }
    // Citations come on the last content chunk; where there is none, here.
    if (cites(choice) && m_answer.said[choice].text.empty()) {
      event["citations"] = citation_list(m_answer);
    }
    return dump(event);
  }

  [[nodiscard]] std::string usage() const {
    Json event = chunk(Json::array());
    event["usage"] = parse_json(m_answer.usage);
    return dump(event);
  }

  // They belong to the whole answer: one choice carries them, the last.
  [[nodiscard]] bool cites(std::size_t choice) const {
    return m_answer.citations && choice + 1 == m_answer.said.size();
  }

 private:
  ChatAnswer m_answer;
  bool m_include_usage;
};

using Shared = std::shared_ptr<const Chunks>;

Run pieces(const Shared& chunks, std::size_t choice, sv name, const std::string& text) {
  const bool cites = name == "content" && chunks->cites(choice);
  return Run{[chunks, choice, name, cites](sv piece, bool last) {
               return chunks->text(choice, name, piece, cites && last);
             },
             text, false};
}

std::vector<Run> choice_runs(const Shared& chunks, std::size_t choice) {
  const Said& said = chunks->answer().said[choice];
  std::vector<Run> runs;
  runs.push_back(single(dump(chunks->delta(choice, Json{{"role", "assistant"}, {"content", ""}}))));
  runs.push_back(pieces(chunks, choice, "reasoning_content", said.reasoning));
  if (!said.failure.empty()) return runs;
  runs.push_back(pieces(chunks, choice, "content", said.text));
  runs.push_back(pieces(chunks, choice, "refusal", said.refusal));
  for (std::size_t i = 0; i < said.calls.size(); ++i) {
    const Json calls = Json::array({chat_tool_call(chunks->answer(), choice, i)});
    runs.push_back(single(dump(chunks->delta(choice, Json{{"tool_calls", calls}}))));
  }
  runs.push_back(single(chunks->finish(choice)));
  return runs;
}

}  // namespace

Answer stream_chat(ChatAnswer answer, bool include_usage, std::chrono::milliseconds delay) {
  const auto chunks = std::make_shared<const Chunks>(std::move(answer), include_usage);
  Feed feed;
  feed.delay = delay;
  const auto& said = chunks->answer().said;
  for (std::size_t i = 0; i < said.size(); ++i) feed.lanes.push_back(choice_runs(chunks, i));
  if (!said.front().failure.empty()) {
    // The status was sent long ago: the error is an event, and nothing follows it.
    feed.tail.push_back(single(dump(
        Json{{"code", "The service is currently unavailable"}, {"error", said.front().failure}})));
    feed.done_mark = false;
  } else if (include_usage) {
    feed.tail.push_back(single(chunks->usage()));
  }
  return stream(std::move(feed));
}

}  // namespace svc::emulator::text
