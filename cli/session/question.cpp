#include "session/question.h"

#include "base/text.h"
#include "print/width.h"

namespace svc::cli {

std::string_view yes_or_no(const print::Terminal& terminal) noexcept {
  return terminal.dumb ? "Type y for yes or n for no: " : "[y/N] ";
}

Result<KeyChoice> ask_question(Session& session, RawTerminal& terminal, const std::string& text,
                               std::string_view choices, const CancelToken& cancel,
                               const TypedAhead& ahead) {
  print::Progress& progress = session.progress();
  progress.finish();
  SVC_CHECK(session.say(text));
  const std::size_t column = print::display_width(text.substr(text.rfind('\n') + 1));
  progress.print_below([column] { return column; });
  std::string dropped;
  const Result<KeyChoice> answer =
      read_choice(terminal, choices, cancel, [&](std::string_view keys) {
        dropped += keys;
        progress.start(ahead ? "kept for your next message" : "not an answer");
        progress.typed(ahead ? ahead(keys) : dropped);
      });
  progress.typed({});
  progress.finish();
  progress.print_below({});
  return answer;
}

}  // namespace svc::cli
