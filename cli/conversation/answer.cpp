#include "conversation/answer.h"

#include "conversation/prompt.h"
#include "conversation/saved_conversation.h"
#include "conversation/saved_turn.h"
#include "conversation/turn.h"
#include "operation/answer_printer.h"
#include "operation/runner.h"

namespace svc::cli {

Result<void> run_answer(Session& session) {
  if (wants_conversation(session)) return run_conversation(session);
  const Operation& operation = *session.invocation().operation;
  SVC_TRY(kept, SavedConversation::open(session, Occasion::OneShot));
  const TurnPlan plan{.inputs = kept.inputs(), .keep = kept.is_saved()};
  Dialogue dialogue(session, operation);
  SVC_CHECK(dialogue.open());
  if (session.globals().dry_run || session.globals().curl) {
    SVC_TRY(request, dialogue.show(plan.inputs));
    for (const std::string& warning : request.warnings) session.notices().warning(warning);
    return show(session, request);
  }
  AnswerPrinter view(session);
  TurnResult result = run_saved_turn(session, dialogue, kept, plan, view);
  if (kept.is_saved()) kept.append(saved_turn(result));
  if (result.error) return *std::move(result.error);
  const auto job = submitted_job(operation, result.submission);
  if (!job) return {};
  SVC_TRY(client, session.client(operation.host));
  return finish_submission(session, *client, operation, *job, result.submission);
}

}  // namespace svc::cli
