// A turn of a conversation that is kept here, and perhaps by the service too.
#pragma once

#include "kept.h"
#include "session.h"
#include "turn.h"
#include "turn_view.h"

namespace svc::cli {

/// Runs a turn with the thread of `kept`. When the service has forgotten the response that it goes
/// on from (stored ones live for 30 days, api 1 §2.2), the words that are kept here go along
/// instead, and that is told. What it gave is not appended yet.
[[nodiscard]] TurnResult run_kept_turn(Session& session, Dialogue& dialogue, KeptConversation& kept,
                                       TurnPlan plan, TurnView& view);

}  // namespace svc::cli
