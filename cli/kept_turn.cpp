#include "kept_turn.h"

#include <utility>

namespace svc::cli {

TurnResult run_kept_turn(Session& session, Dialogue& dialogue, KeptConversation& kept,
                         TurnPlan plan, TurnView& view) {
  if (kept.is_kept()) dialogue.keep_files();
  plan.thread = kept.thread();
  TurnResult result = dialogue.run(plan, view);
  const bool gone = result.error && result.error->fault == Fault::NotFound &&
                    result.messages.empty() && !plan.thread.response_id.empty();
  if (!gone) return result;
  kept.send_whole();
  plan.thread = kept.thread();
  session.notices().note(
      "the service no longer has the last response of this conversation; what is kept on this "
      "machine is sent instead");
  return dialogue.run(plan, view);
}

}  // namespace svc::cli
