#include "terminal/pager.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <utility>

#include <unistd.h>

#include "base/text.h"
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
  for (std::string_view line : split(text, '\n')) {
    std::size_t width = 0;
    while (!line.empty()) {
      const std::size_t end = std::min(line.find('\x1b'), line.size());
      width += print::display_width(line.substr(0, end));
      line.remove_prefix(end);
      // A look ends with "m", a link with a backslash.
      const std::size_t last = line.find(line.starts_with("\x1b]") ? '\\' : 'm');
      line = last < line.size() ? line.substr(last + 1) : std::string_view();
    }
    rows += 1 + (width > 0 ? (width - 1) / columns : 0);
  }
  return rows;
}

/// Whether the shell only has to start a program.
bool is_simple(const std::string& script) {
  return script.find_first_of(";&|<>()\n") == std::string::npos;
}

/// Ctrl-C goes to the whole process group and is meant for the other program.
class IgnoreInterrupts {
 public:
  IgnoreInterrupts() noexcept {
    struct sigaction ignored {};
    ignored.sa_handler = SIG_IGN;
    sigemptyset(&ignored.sa_mask);
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
  const TerminalSize size = RawTerminal(STDOUT_FILENO).size();
  const std::string command = pager_command(environment);
  const bool fits = rows_of(text, size.columns) < size.lines;
  if (terminal.dumb || fits || trim(command).empty()) {
    return out.write(text);
  }
  SVC_CHECK(out.flush());
  // For each program of a command such as `sed … | less`.
  const std::string script = "LESS=\"${LESS-FRX}\" LV=\"${LV--c}\" " +
                             (is_simple(command) ? command : "sh -c " + shell_quote(command));
  SVC_TRY(end, run_in_foreground(script, "", text, cancel));
  constexpr int k_not_found = 127;
  return end.code == k_not_found ? out.write(text) : Result<void>();
}

Result<ProgramExit> run_in_foreground(const std::string& script, const std::string& argument,
                                      std::optional<std::string> input, const CancelToken& cancel) {
  const IgnoreInterrupts keys_are_the_others;
  // A simple command takes the place of the shell, so that the program itself ends with svc.
  const std::string in_place = (is_simple(script) ? "exec env " : "") + script;
  return run_program({.arguments = {"/bin/sh", "-c", in_place, "sh", argument},
                      .input = std::move(input),
                      .own_group = false},
                     cancel);
}

}  // namespace svc::cli
