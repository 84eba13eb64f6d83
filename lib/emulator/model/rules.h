// The rules that chat and Responses share: what fits its type but is refused for its meaning.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/account/models.h"
#include "emulator/handler/handler.h"
#include "emulator/json/json.h"
#include "emulator/model/answer.h"

namespace svc::emulator::text {

/// The model that the body names; else why not: unknown (400), or not for this key (403).
[[nodiscard]] Checked<const Model*> pick_model(const Call& call, const Json& body);

/// What is wrong with temperature, top_p, logprobs, search_parameters and the number of tools.
[[nodiscard]] std::optional<std::string> common_fault(const Json& body);

/// The number must lie between `low` and `high`.
[[nodiscard]] std::optional<std::string> range_fault(const Json& body, sv name, double low,
                                                     double high);

/// An effort must be one of four words, and only some models take one.
[[nodiscard]] std::optional<std::string> effort_fault(const Model& model, sv name, sv effort);

/// What is wrong with the address of an image, when it is no web address and no well-formed data
/// URL.
[[nodiscard]] std::optional<Answer> image_fault(sv address);

/// tool_choice must have something to choose from.
[[nodiscard]] std::optional<std::string> choice_fault(const Ask& ask, bool other_tools);

/// Refuses a prompt longer than the model's context, and images for a model without eyes.
[[nodiscard]] std::optional<std::string> prompt_fault(const Ask& ask);

/// `default` or `priority`, which is what an answer tells.
[[nodiscard]] std::string served_tier(const Json& body);

/// 8-4-4-4-12 hexadecimal digits.
[[nodiscard]] bool is_uuid(sv text);

/// How long to wait between pieces: what the request's header x-emulator-delay-ms says, else
/// `fallback`.
[[nodiscard]] std::chrono::milliseconds piece_delay(const Call& call,
                                                    std::chrono::milliseconds fallback);

}  // namespace svc::emulator::text
