#include "client/command_group.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/program.h"
#include "base/wait.h"

namespace svc {
namespace {

using std::chrono::milliseconds;

/// How long a command may tidy up when it is ended: Ctrl-C must not be felt to hang.
constexpr milliseconds k_grace{100};
/// A stop is told by no descriptor; looked for this often.
constexpr milliseconds k_look{50};

/// Whoever changes the terminal from another group than its own is stopped, unless this is blocked.
class WithoutTerminalStop {
 public:
  WithoutTerminalStop() {
    sigset_t cancel;
    sigemptyset(&cancel);
    sigaddset(&cancel, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &cancel, &m_before);
  }
  WithoutTerminalStop(const WithoutTerminalStop&) = delete;
  WithoutTerminalStop& operator=(const WithoutTerminalStop&) = delete;
  ~WithoutTerminalStop() { pthread_sigmask(SIG_SETMASK, &m_before, nullptr); }

 private:
  sigset_t m_before{};
};

int pidfd_of(pid_t pid) noexcept {
  return static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
}

/// Has it ended? It is not collected, so that its number stays taken.
bool has_ended(pid_t pid) noexcept {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid == pid;
}

}  // namespace

TerminalLoan::TerminalLoan() : m_terminal(open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)) {}

TerminalLoan::TerminalLoan(TerminalLoan&& other) noexcept
    : m_terminal(std::move(other.m_terminal)),
      m_modes(other.m_modes),
      m_theirs(other.m_theirs),
      m_lent(std::exchange(other.m_lent, false)) {}

bool TerminalLoan::lend(pid_t group) noexcept {
  if (m_lent) return true;
  if (!exists() || tcgetpgrp(m_terminal.get()) != getpgrp()) return false;
  if (tcgetattr(m_terminal.get(), &m_modes) != 0) return false;
  m_lent = tcsetpgrp(m_terminal.get(), group) == 0;
  if (m_lent && m_theirs) {
    const WithoutTerminalStop quiet;
    tcsetattr(m_terminal.get(), TCSADRAIN, &*m_theirs);
  }
  return m_lent;
}

void TerminalLoan::interrupt() noexcept {
  termios modes{};
  if (m_lent && tcgetattr(m_terminal.get(), &modes) == 0) m_theirs = modes;
  take_back();
}

void TerminalLoan::take_back() noexcept {
  if (!std::exchange(m_lent, false)) return;
  const WithoutTerminalStop quiet;
  tcsetpgrp(m_terminal.get(), getpgrp());
  tcsetattr(m_terminal.get(), TCSADRAIN, &m_modes);
  // Another program of the same pipeline, such as a pager, was stopped if it read meanwhile.
  kill(0, SIGCONT);
}

CommandGroup::CommandGroup(pid_t pid, FileDescriptor output) noexcept
    : m_pid(pid), m_output(std::move(output)), m_exit(pidfd_of(pid)) {}

CommandGroup::CommandGroup(CommandGroup&& other) noexcept
    : m_pid(std::exchange(other.m_pid, -1)),
      m_output(std::move(other.m_output)),
      m_exit(std::move(other.m_exit)),
      m_terminal(std::move(other.m_terminal)) {}

CommandGroup::~CommandGroup() {
  if (m_pid >= 0) end();
}

void CommandGroup::end() noexcept {
  kill(-m_pid, SIGTERM);
  kill(-m_pid, SIGCONT);
  const auto until = std::chrono::steady_clock::now() + k_grace;
  while (!has_ended(m_pid) && std::chrono::steady_clock::now() < until) {
    const WaitEnd look = m_exit.is_open() ? until : after(milliseconds(5));
    (void)svc::wait_readable(m_exit.get(), look, NeverCancelled());
  }
  // Not collected before, so the group's number is still its own.
  kill(-m_pid, SIGKILL);
  while (waitpid(m_pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  m_pid = -1;
}

Result<CommandGroup> CommandGroup::start(std::string_view name, std::string command) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    return system_error(fmt::format("{} cannot be run", name), errno);
  }
  FileDescriptor reading(ends[0]);
  const FileDescriptor writing(ends[1]);
  // The command's end blocks, as programs expect of their output.
  fcntl(writing.get(), F_SETFL, 0);
  auto pid =
      start_program({.arguments = {"/bin/sh", "-c", std::move(command)}, .output = writing.get()});
  if (!pid) {
    pid.error().message = fmt::format("{} cannot be run: {}", name, pid.error().message);
    return std::move(pid).error();
  }
  return CommandGroup(*pid, std::move(reading));
}

Result<std::optional<int>> CommandGroup::look(std::string_view name) {
  int status = 0;
  if (m_pid < 0 || waitpid(m_pid, &status, WNOHANG | WUNTRACED) != m_pid) {
    return std::optional<int>();
  }
  if (WIFSTOPPED(status)) {
    SVC_CHECK(stopped_by(name, WSTOPSIG(status)));
    return std::optional<int>();
  }
  m_pid = -1;
  m_terminal.take_back();
  return std::optional(status);
}

Result<void> CommandGroup::stopped_by(std::string_view name, int signal) {
  if (signal == SIGTTIN || signal == SIGTTOU) {
    if (!m_terminal.lend(m_pid)) {
      return Error{Fault::Auth, fmt::format("{} asks at the terminal, which is not free", name),
                   "Run this in the foreground, or unlock the password manager first."};
    }
  } else if (signal == SIGTSTP) {
    // Ctrl-Z reached the borrower only; meant was all of us.
    m_terminal.interrupt();
    kill(0, SIGTSTP);
  } else {
    return {};
  }
  kill(-m_pid, SIGCONT);
  return {};
}

void CommandGroup::wait(std::chrono::steady_clock::time_point until,
                        const CancelToken& cancel) const {
  const bool must_look = !m_exit.is_open() || m_terminal.exists();
  if (must_look) until = std::min(until, std::chrono::steady_clock::now() + k_look);
  std::array<pollfd, 2> fds = {pollfd{m_output.get(), POLLIN, 0}, pollfd{m_exit.get(), POLLIN, 0}};
  (void)svc::wait(fds, until, cancel);
}

}  // namespace svc
