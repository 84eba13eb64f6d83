// Internals of POST /v1/chat/completions: from the request to the data of both response formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/handler/handler.h"
#include "emulator/json/json.h"
#include "emulator/model/answer.h"

namespace svc::emulator::text {

/// The content of a chat response, streamed or not.
struct ChatAnswer {
  std::string id;
  std::int64_t created = 0;  ///< Unix seconds
  std::string model;
  std::string tier;
  std::vector<Said> said{};  ///< one for each choice
  std::vector<Source> sources{};
  bool citations = false;                     ///< whether to fill `citations`
  std::string usage{};                        ///< JSON text
  std::string output_files{};                 ///< JSON text; empty: none were requested
  std::vector<Charge> charges{};              ///< the cost
  std::optional<std::size_t> top_logprobs{};  ///< log probabilities with this many alternatives
};

/// Answers `ask`; otherwise returns the refusal.
[[nodiscard]] std::optional<Answer> answer_chat(const Call& call, const Json& body, const Ask& ask,
                                                ChatAnswer& answer, std::int64_t& tokens);

// --- shared by chat and Responses ---

/// Is the word in the request's `include`?
[[nodiscard]] bool includes(const Json& body, sv word);

/// Takes over `tool_choice` and `parallel_tool_calls`, in either operation's form.
void read_choice(const Json& body, Ask& ask);

/// Takes over the form that the answer's text shall have, as either operation writes it.
void read_form(const Json* format, Ask& ask);

[[nodiscard]] sv finish_word(Finish finish);
/// Returns `{"content": […]}` for the tokens of `text`.
[[nodiscard]] Json logprobs_of(sv text, std::size_t top);

}  // namespace svc::emulator::text
