// `svc responses`: an answer that may include images.
#include <filesystem>

#include <fmt/format.h>

#include "base/text.h"
#include "commands/command.h"
#include "conversation/answer.h"
#include "operation/runner.h"
#include "operation/save_media.h"

namespace svc::cli {
namespace {

Result<void> with_images(Session& session, Result<void> (*run)(Session& session)) {
  SVC_CHECK(check_answer_images(session));
  SVC_CHECK(run(session));
  const MediaPlan plan = media_plan(session);
  const bool shown = session.globals().shows_only();
  std::error_code ignored;
  if (!shown && plan.place == MediaPlace::File && takes_images(session.globals()) &&
      !std::filesystem::exists(plan.path, ignored)) {
    session.notices().note(fmt::format("no image in the answer; {} was not written",
                                       visible(plan.path, Lines::Escape)));
  }
  return {};
}

}  // namespace

template <>
Result<void> run<Handler::ResponsesCreate>(Session& session) {
  return with_images(session, run_answer);
}

template <>
Result<void> run<Handler::ResponsesGet>(Session& session) {
  return with_images(session, run_operation);
}

}  // namespace svc::cli
