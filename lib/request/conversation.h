// What was said, before it takes the shape of an API. Not part of the public interface.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "catalogue/model.h"
#include "json/document.h"
#include "request/media.h"

namespace svc::request {

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
