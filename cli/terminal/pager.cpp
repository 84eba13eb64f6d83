#include "terminal/pager.h"

#include <csignal>
#include <cstdlib>
#include <utility>

#include <unistd.h>

#include "base/text.h"
#include "base/visible.h"
#include "print/width.h"
#include "terminal/editor/raw_terminal.h"

namespace svc::cli {
namespace {

std::string pager_command(const Environment& environment) {
  for (const char* name : {"SVC_PAGER", "PAGER"}) {
    if (const auto value = environment(name)) return *value;
  }
  return "less";
}

std::size_t rows_of(const std::string& text, std::size_t columns) {
  std::size_t rows = 0;
  for (const std::string_view line : split(text, '\n')) {
    rows += 1 + (print::display_width(line) > 0 ? (print::display_width(line) - 1) / columns : 0);
  }
  return rows;
}

/// Ctrl-C goes to the whole process group and is meant for the other program.
class IgnoreInterrupts {
 public:
  IgnoreInterrupts() noexcept {
    struct sigaction ignored {};
    ignored.sa_handler = SIG_IGN;
    ::sigemptyset(&ignored.sa_mask);
    ::sigaction(SIGINT, &ignored, &m_before);
  }
  IgnoreInterrupts(const IgnoreInterrupts&) = delete;
  IgnoreInterrupts& operator=(const IgnoreInterrupts&) = delete;
  ~IgnoreInterrupts() { ::sigaction(SIGINT, &m_before, nullptr); }

 private:
  struct sigaction m_before {};
};

}  // namespace

Result<void> show_paged(print::Out& out, const std::string& text, const Environment& environment,
                        const CancelToken& cancel) {
  const print::Terminal& terminal = out.terminal();
  if (!terminal.is_tty) return out.write(text);
  const std::string shown = visible(text);
  const TerminalSize size = RawTerminal(STDOUT_FILENO).size();
  const std::string command = pager_command(environment);
  const bool fits = rows_of(shown, size.columns) < size.lines;
  if (terminal.dumb || fits || trim(command).empty()) {
    return out.write(shown);
  }
  SVC_CHECK(out.flush());
  const std::string script = "LESS=${LESS-FRX} LV=${LV--c} " + command;
  SVC_TRY(end, run_in_foreground(script, "", shown, cancel));
  constexpr int k_not_found = 127;
  return end.code == k_not_found ? out.write(shown) : Result<void>();
}

Result<ProgramExit> run_in_foreground(const std::string& script, const std::string& argument,
                                      std::optional<std::string> input, const CancelToken& cancel) {
  const IgnoreInterrupts keys_are_the_others;
  return run_program({.arguments = {"/bin/sh", "-c", script, "sh", argument},
                      .input = std::move(input),
                      .own_group = false},
                     cancel);
}

}  // namespace svc::cli
