// What the emulator says: the same words for the same question, and words that say what they are.
#pragma once

#include <string>

#include "base/result.h"
#include "emulator/model/ask.h"

namespace svc::emulator::text {

/// The answer to `ask`, number `choice` of `choices` (from 0). The last user message steers it:
/// `Say exactly: X` is answered with X, `Write N words` with N words, `Refuse: X` with a refusal
/// and `Fail with: X` with a failure; naming an offered function calls it. Usage when a schema
/// cannot be satisfied, with the sentence for the client.
[[nodiscard]] Result<Said> say(const Ask& ask, std::size_t choice, std::size_t choices);

/// Tokens of everything that the model was given, and of the images among them.
struct PromptTokens {
  std::int64_t text = 0;
  std::int64_t images = 0;
};
[[nodiscard]] PromptTokens count_prompt(const Ask& ask);

/// The text of the last user turn; empty when there is none.
[[nodiscard]] const std::string& last_user_text(const Ask& ask);

}  // namespace svc::emulator::text
