// Rules shared by chat and Responses: requests with valid types that are refused for their values.
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

/// Returns the model in the body, or why it is refused: unknown (400) or not permitted for this key
/// (403).
[[nodiscard]] Checked<const Model*> pick_model(const Call& call, const Json& body);

/// Checks temperature, top_p, logprobs, search_parameters and the number of tools.
[[nodiscard]] std::optional<std::string> common_fault(const Json& body);

/// The number must be between `low` and `high`.
[[nodiscard]] std::optional<std::string> range_fault(const Json& body, sv name, double low,
                                                     double high);

/// An effort must be one of four words, and only some models accept one.
[[nodiscard]] std::optional<std::string> effort_fault(const Model& model, sv name, sv effort);

/// Returns the error if an image's URL is neither a web URL nor a valid data URL.
[[nodiscard]] std::optional<Answer> image_fault(sv address);

/// tool_choice requires tools to choose from.
[[nodiscard]] std::optional<std::string> choice_fault(const Ask& ask, bool other_tools);

/// Refuses a prompt longer than the model's context, and images for a model that does not accept
/// them.
[[nodiscard]] std::optional<std::string> prompt_fault(const Ask& ask);

/// Returns `default` or `priority`, as shown in responses.
[[nodiscard]] std::string served_tier(const Json& body);

/// 8-4-4-4-12 hexadecimal digits.
[[nodiscard]] bool is_uuid(sv text);

/// Returns the milliseconds, at most `longest`, in that header of the request; nothing if there are
/// none.
[[nodiscard]] std::optional<std::chrono::milliseconds> wished_time(
    const Call& call, sv header, std::chrono::milliseconds longest);

/// Returns the delay between chunks: the request's header x-emulator-delay-ms, or `fallback`.
[[nodiscard]] std::chrono::milliseconds piece_delay(const Call& call,
                                                    std::chrono::milliseconds fallback);

}  // namespace svc::emulator::text
