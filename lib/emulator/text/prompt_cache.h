// Prompts that begin as the one before did: api 4 §1.3, `prompt_cache_key` and x-svc-conv-id.
#pragma once

#include <cstddef>
#include <string>

#include "emulator/handler.h"
#include "emulator/text/ask.h"

namespace svc::emulator::text {

/// For the tables of the state.
inline constexpr const char* k_prompt_cache_schema = R"sql(
CREATE TABLE IF NOT EXISTS prompt_cache (
  team_id TEXT NOT NULL, cache_key TEXT NOT NULL, turns TEXT NOT NULL, expires_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, cache_key)) STRICT;
)sql";

/// The tokens of `ask` that its last prompt under the same key and model had at its beginning, in
/// whole turns; 0 without a key. This prompt is remembered for an hour.
[[nodiscard]] Result<std::int64_t> take_cached_tokens(const Call& call, const Json& body,
                                                      const Ask& ask);

}  // namespace svc::emulator::text
