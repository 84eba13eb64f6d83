#include "conversation/saved_turn.h"

#include <algorithm>
#include <utility>

namespace svc::cli {
namespace {

/// The service names a file that the conversation holds, and has it no more: it may have been
/// deleted, or expired.
bool misses_a_file(const Error& error, const request::Thread& thread) {
  const std::size_t begin = error.message.find("file_");
  if (error.fault != Fault::NotFound || begin == std::string::npos) return false;
  const std::size_t end = error.message.find_first_of(" ,;:.'\"", begin);
  const std::string quoted = '"' + error.message.substr(begin, end - begin) + '"';
  return std::any_of(thread.messages.begin(), thread.messages.end(),
                     [&](const std::string& one) { return one.find(quoted) != std::string::npos; });
}

}  // namespace

TurnResult run_saved_turn(Session& session, Dialogue& dialogue, SavedConversation& kept,
                          TurnPlan plan, AnswerSink& view) {
  if (kept.is_saved()) dialogue.keep_files();
  plan.thread = kept.thread();
  TurnResult result = dialogue.run(plan, view);
  const bool gone = result.error && result.error->fault == Fault::NotFound &&
                    result.messages.empty() && !plan.thread.response_id.empty();
  if (!gone) {
    if (result.error && misses_a_file(*result.error, plan.thread)) {
      result.error->hint =
          "The conversation refers to a file that the service has deleted: start another one with "
          "the file itself. `svc history export` saves the text of this one.";
    }
    return result;
  }
  kept.send_whole();
  plan.thread = kept.thread();
  session.notices().note(
      "the service no longer has the last response of this conversation; the copy saved on this "
      "machine is sent instead");
  return dialogue.run(plan, view);
}

}  // namespace svc::cli
