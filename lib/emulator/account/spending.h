// What calls cost a team, and the stop of one that has used up its credit.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "emulator/handler/handler.h"
#include "emulator/state/state.h"

namespace svc::emulator {

/// 429 when the team's prepaid credit is used up and its limit reached: then every operation is
/// refused, and trying again is no use.
[[nodiscard]] std::optional<Answer> refuse_spent(State& state, std::string_view team_id);

/// Books what a call costs.
[[nodiscard]] Result<void> book_charges(State& state, std::string_view team_id,
                                        std::span<const Charge> charges);

}  // namespace svc::emulator
