// Billing, and the stop of a team that has used up its credit.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "emulator/handler.h"
#include "emulator/state.h"

namespace svc::emulator {

/// The ten operations under /v1/billing (api 3 §4), the usage report (api 4 §10.1), and
/// POST /_emulator/credit `{"cents": N}`, which sets the demo team's prepaid credit.
[[nodiscard]] std::vector<Route> billing_routes();

/// 429 when the team's prepaid credit is used up and its limit reached: then every operation is
/// refused, and trying again is no use (api 4 §2.2).
[[nodiscard]] std::optional<Answer> refuse_spent(State& state, std::string_view team_id);

/// Books what a call costs.
[[nodiscard]] Result<void> book_charges(State& state, std::string_view team_id,
                                        std::span<const Charge> charges);

}  // namespace svc::emulator
