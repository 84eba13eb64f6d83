// Speech as a plan says (tts_plan.h).
#pragma once

#include "base/result.h"
#include "commands/tts/plan.h"

namespace svc::cli {

/// Sends the plan's requests, plays and saves what comes. Before anything is sent: Local where it
/// cannot be saved or played.
[[nodiscard]] Result<void> speak(Session& session, const SpeechPlan& plan);

}  // namespace svc::cli
