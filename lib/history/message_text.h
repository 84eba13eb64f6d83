// The readable text of a conversation's message, for listing, searching and display.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace svc::history {

struct MessageText {
  std::string role{};     ///< "user", "assistant", "system", "tool", …
  std::string text{};     ///< with images and files as placeholders in brackets
  std::size_t calls = 0;  ///< where the tool calls begin in the text; its size if there are none
  bool reasoned = false;  ///< there is reasoning, which is not part of the text of a chat message
};

/// Reads a chat message, or an item of a response's input or output, as JSON. A tool call is its
/// name and arguments, its result the text passed to the model. Anything else has no text.
[[nodiscard]] MessageText read_message_text(std::string_view json);

}  // namespace svc::history
