// Conversations that can be resumed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "emulator/state/state.h"

namespace svc::emulator::realtime {

/// So long after the last activity a conversation is kept.
inline constexpr std::int64_t k_history_ms = 30 * 60'000;

/// `items` is what Items::save() gives.
[[nodiscard]] Result<void> save_conversation(State& state, std::string_view team_id,
                                             std::string_view id, std::string_view items);

/// The items; nothing when there is no such conversation of the team, or it is too old.
[[nodiscard]] Result<std::optional<std::string>> load_conversation(State& state,
                                                                   std::string_view team_id,
                                                                   std::string_view id);

}  // namespace svc::emulator::realtime
