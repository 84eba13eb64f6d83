// Runs a speech plan (plan.h).
#pragma once

#include "base/result.h"
#include "commands/tts/plan.h"

namespace svc::cli {

/// Sends the plan's requests, and plays and saves the audio. Local, before anything is sent, if it
/// cannot be saved or played.
[[nodiscard]] Result<void> speak(Session& session, const SpeechPlan& plan);

}  // namespace svc::cli
