// What the emulator says: the same words for the same question, and words that say what they are.
#pragma once

#include <cstddef>
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

/// Does the conversation end with a tool's result?
[[nodiscard]] bool answers_tools(const Ask& ask);

/// A text that says that an emulator speaks, and repeats what it was told: the last message or the
/// results of tools, the message before it, the system prompt, attachments, the number of messages.
[[nodiscard]] std::string tell(const Ask& ask, std::size_t choice, std::size_t choices);

/// The same as an object.
[[nodiscard]] Json tell_as_object(const Ask& ask, std::size_t choice, std::size_t choices);

/// What the model would think before it speaks: nothing unless it reasons, more with more effort.
[[nodiscard]] std::string think(const Ask& ask);

}  // namespace svc::emulator::text
