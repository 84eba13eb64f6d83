// Composes prompt, system text, --message and attachments into the messages of chat and the input
// of responses.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "catalogue/model.h"
#include "json/document.h"
#include "request/inputs.h"
#include "request/media.h"

namespace svc::request {

/// Usage if the --image argument is not an image in a format that the service supports. `prefix`:
/// what the names of flags begin with where it was given.
[[nodiscard]] Result<void> check_image(const Media& image, sv prefix = "--");

/// Composes the conversation into `body` with the operation's composer; does nothing for
/// Composer::None. `stdin_text` is appended to the prompt unless an argument `-` used it. Usage if
/// a role is unknown, an attachment cannot be read, or there is no prompt at all.
[[nodiscard]] Result<void> compose(const Operation& operation, const Inputs& inputs,
                                   const std::optional<std::string>& stdin_text, InlineFiles& files,
                                   OrderedJson& body);

/// Usage: neither flags nor body contain a prompt.
[[nodiscard]] Error no_prompt_error(const Operation& operation);

}  // namespace svc::request
