// What a message of a conversation says, for people: to be listed, searched and read.
#pragma once

#include <string>
#include <string_view>

namespace svc::history {

struct Said {
  std::string role{};  ///< "user", "assistant", "system", "tool", …
  std::string text{};  ///< without pictures and files, which are named in brackets
};

/// Of a message of chat or an item of a response's input or output, as JSON. A call of a tool is
/// its name and arguments, its result the text that the model got. Anything else has no text.
[[nodiscard]] Said said_in(std::string_view json);

}  // namespace svc::history
