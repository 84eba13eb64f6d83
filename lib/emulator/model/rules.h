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
[[nodiscard]] Checked<const Model*> pick_model(const Request& request, const Json& body);

/// Checks temperature, top_p, logprobs, search_parameters and the number of tools.
[[nodiscard]] std::optional<std::string> check_common_fields(const Json& body);

/// The number must be between `low` and `high`.
[[nodiscard]] std::optional<std::string> check_range(const Json& body, sv name, double low,
                                                     double high);

/// An effort must be one of four words, and only some models accept one.
[[nodiscard]] std::optional<std::string> check_effort(const Model& model, sv name, sv effort);

/// Returns the error if an image's URL is neither a web URL nor a data URL of a whole image.
[[nodiscard]] std::optional<Response> check_image(sv address);

/// tool_choice requires tools to choose from.
[[nodiscard]] std::optional<std::string> check_tool_choice(const ModelRequest& model_request,
                                                           bool other_tools);

/// Refuses a prompt longer than the model's context, and images for a model that does not accept
/// them.
[[nodiscard]] std::optional<std::string> check_prompt(const ModelRequest& model_request);

/// Returns `default` or `priority`, as shown in responses.
[[nodiscard]] std::string served_tier(const Json& body);

/// 8-4-4-4-12 hexadecimal digits.
[[nodiscard]] bool is_uuid(sv text);

/// Returns the milliseconds, at most `longest`, in that header of the request; nothing if there are
/// none.
[[nodiscard]] std::optional<std::chrono::milliseconds> requested_duration(
    const Request& request, sv header, std::chrono::milliseconds longest);

/// Returns the delay between chunks: the request's header x-emulator-delay-ms, or `fallback`.
[[nodiscard]] std::chrono::milliseconds chunk_delay(const Request& request,
                                                    std::chrono::milliseconds fallback);

}  // namespace svc::emulator::text
