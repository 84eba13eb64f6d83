// The readable text of a conversation's message, for listing, searching and display.
#pragma once

#include <string>
#include <string_view>

namespace svc::history {

struct MessageText {
  std::string role{};  ///< "user", "assistant", "system", "tool", …
  std::string text{};  ///< with images and files as placeholders in brackets
};

/// Reads a chat message, or an item of a response's input or output, as JSON. A tool call is its
/// name and arguments, its result the text passed to the model. Anything else has no text.
[[nodiscard]] MessageText read_message_text(std::string_view json);

}  // namespace svc::history
