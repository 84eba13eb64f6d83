// Inside POST /v1/chat/completions: from the request to what both forms of the answer show.
#pragma once

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

/// Answers `ask`; else the refusal.
[[nodiscard]] std::optional<Answer> answer_chat(const Call& call, const Json& body, const Ask& ask,
                                                ChatAnswer& answer, std::int64_t& tokens);

// --- what chat and Responses share ---

/// Is the word in the request's `include`?
[[nodiscard]] bool includes(const Json& body, sv word);

/// Takes over `tool_choice` and `parallel_tool_calls`, in either operation's form.
void read_choice(const Json& body, Ask& ask);

/// Takes over the form that the answer's text shall have, as either operation writes it.
void read_form(const Json* format, Ask& ask);

[[nodiscard]] sv finish_word(Finish finish);
/// `{"content": […]}` for the tokens of `text`.
[[nodiscard]] Json logprobs_of(sv text, std::size_t top);

}  // namespace svc::emulator::text
