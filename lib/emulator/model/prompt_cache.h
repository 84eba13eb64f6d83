// Prompt caching: prompts with the same beginning as the previous one, identified by
// `prompt_cache_key` and x-svc-conv-id.
#pragma once

#include "emulator/handler/handler.h"
#include "emulator/model/answer.h"

namespace svc::emulator::text {

/// Returns how many tokens of `model_request`, in whole turns, match the start of the last prompt
/// under the same key and model; 0 without a key. Stores this prompt for an hour.
[[nodiscard]] Result<std::int64_t> count_cached_tokens(const Request& request, const Json& body,
                                                       const ModelRequest& model_request);

}  // namespace svc::emulator::text
