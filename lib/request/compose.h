// Prompt, system text, --message and attachments -> the messages of chat and the input of
// responses.
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

/// Usage when what goes with --image is no image that the service reads.
[[nodiscard]] Result<void> check_image(const Media& image);

/// Composes the conversation into `body` by the operation's composer; does nothing for
/// Composer::None. `stdin_text` is appended to the prompt unless an argument `-` took it. Usage
/// when a role is unknown, an attachment cannot be read, or nothing at all is said.
[[nodiscard]] Result<void> compose(const Operation& operation, const Inputs& inputs,
                                   const std::optional<std::string>& stdin_text, InlineFiles& files,
                                   OrderedJson& body);

/// What was said, before it takes the shape of an API.
struct Conversation {
  std::vector<std::string> earlier_prompts{};  ///< where several may be given
  std::optional<std::string> prompt{};
  std::optional<std::string> system{};
  std::vector<std::pair<std::string, std::string>> messages{};  ///< role, text
  std::vector<Media> images{};
  std::vector<Media> files{};
  std::vector<OrderedJson> items{};  ///< of a response's input
};

/// Usage: neither flags nor body say anything.
[[nodiscard]] Error nothing_said(const Operation& operation);

/// `prompt` of the legacy completions: a text, or an array of several.
[[nodiscard]] Result<void> compose_prompt(const Operation& operation, const Conversation& said,
                                          OrderedJson& body);

/// `messages` of the deprecated messaging operation, and the words that stand for a `tool_choice`.
[[nodiscard]] Result<void> compose_messages(const Operation& operation, const Conversation& said,
                                            InlineFiles& files, OrderedJson& body);

}  // namespace svc::request
