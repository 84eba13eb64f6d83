// `svc chat`: one answer, or one per line of a file.
#include "commands/registry.h"
#include "conversation/answer.h"

namespace svc::cli {

Result<void> run_chat(Session& session) {
  if (session.invocation().value("each")) return run_chat_each(session);
  SVC_CHECK(session.write_to_output_file());
  return run_answer(session);
}

}  // namespace svc::cli
