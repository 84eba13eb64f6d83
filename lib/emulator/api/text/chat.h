// Inside POST /v1/chat/completions: from the request to what both forms of the answer show.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/handler/handler.h"
#include "emulator/json/json.h"
#include "emulator/model/answer.h"

namespace svc::emulator::text {

/// Everything that a chat answer shows, streamed or not.
struct ChatAnswer {
  std::string id;
  std::int64_t created = 0;  ///< Unix seconds
  std::string model;
  std::string tier;
  std::vector<Said> said{};  ///< one for each choice
  std::vector<Source> sources{};
  bool citations = false;                     ///< shall `citations` be filled?
  std::string usage{};                        ///< JSON text
  std::string output_files{};                 ///< JSON text; empty: none were asked for
  std::vector<Charge> charges{};              ///< what it costs
  std::optional<std::size_t> top_logprobs{};  ///< log probabilities with so many alternatives
};

/// What is wrong with the meaning of a request whose types are right.
[[nodiscard]] std::optional<Answer> chat_fault(const Json& body, const Model& model);

/// The question that the request asks; it points into `body`.
[[nodiscard]] Ask read_chat(const Json& body, const Model& model);

/// Answers `ask`; else the refusal.
[[nodiscard]] std::optional<Answer> answer_chat(const Call& call, const Json& body, const Ask& ask,
                                                ChatAnswer& answer, std::int64_t& tokens);

/// The whole answer as one document.
[[nodiscard]] std::string chat_document(const ChatAnswer& answer);

/// The answer as events. With `include_usage` a chunk with the usage comes last.
[[nodiscard]] Answer stream_chat(ChatAnswer answer, bool include_usage,
                                 std::chrono::milliseconds delay);

// --- pieces of both forms ---

[[nodiscard]] sv finish_word(Finish finish);
[[nodiscard]] Json chat_tool_call(const ChatAnswer& answer, std::size_t choice, std::size_t index);
[[nodiscard]] Json citation_list(const ChatAnswer& answer);

/// `{"content": […]}` for the tokens of `text`.
[[nodiscard]] Json logprobs_of(sv text, std::size_t top);

}  // namespace svc::emulator::text
