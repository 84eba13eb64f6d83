// The words of the emulator: what it says and thinks when nothing steers it.
#pragma once

#include <cstddef>
#include <string>

#include "emulator/model/ask.h"

namespace svc::emulator::text {

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
