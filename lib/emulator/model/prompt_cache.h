// Prompts that begin as the one before did, which `prompt_cache_key` and x-svc-conv-id tell.
#pragma once

#include "emulator/handler/handler.h"
#include "emulator/model/answer.h"

namespace svc::emulator::text {

/// The tokens of `ask` that its last prompt under the same key and model had at its beginning, in
/// whole turns; 0 without a key. This prompt is remembered for an hour.
[[nodiscard]] Result<std::int64_t> take_cached_tokens(const Call& call, const Json& body,
                                                      const Ask& ask);

}  // namespace svc::emulator::text
