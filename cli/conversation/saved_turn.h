// A turn of a conversation that is kept here, and perhaps by the service too.
#pragma once

#include "conversation/saved_conversation.h"
#include "conversation/turn.h"
#include "operation/answer_sink.h"
#include "session/session.h"

namespace svc::cli {

/// Runs a turn with the thread of `kept`. When the service has forgotten the response that it goes
/// on from (stored ones live for 30 days), the words that are kept here go along
/// instead, and that is told. What it gave is not appended yet.
[[nodiscard]] TurnResult run_saved_turn(Session& session, Dialogue& dialogue,
                                        SavedConversation& kept, TurnPlan plan, AnswerSink& view);

}  // namespace svc::cli
