#include "client/key_command.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "base/platform.h"
#include "base/program.h"
#include "base/text.h"
#include "base/wait.h"

namespace svc {
namespace {

using std::chrono::milliseconds;

/// How long a command may take to exit when ended: Ctrl-C must not seem to hang.
constexpr milliseconds k_kill_delay{100};
/// Polling interval, as no descriptor reports a stopped process.
constexpr milliseconds k_poll_interval{50};

/// Blocks SIGTTOU, which would stop a background process that changes the terminal.
class SigttouBlocker {
 public:
  SigttouBlocker() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &signals, &m_before);
  }
  SigttouBlocker(const SigttouBlocker&) = delete;
  SigttouBlocker& operator=(const SigttouBlocker&) = delete;
  ~SigttouBlocker() { pthread_sigmask(SIG_SETMASK, &m_before, nullptr); }

 private:
  sigset_t m_before{};
};

/// Whether the process has exited. It is not reaped, so that its ID stays reserved.
bool has_exited(pid_t pid) noexcept {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid == pid;
}

/// This process's terminal, lent to another process group as a shell does for a job.
class TerminalForeground {
 public:
  TerminalForeground() : m_terminal(open(terminal_path().c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC)) {}

  TerminalForeground(TerminalForeground&& other) noexcept
      : m_terminal(std::move(other.m_terminal)),
        m_own_modes(other.m_own_modes),
        m_child_modes(other.m_child_modes),
        m_given_away(std::exchange(other.m_given_away, false)) {}

  TerminalForeground& operator=(TerminalForeground&&) = delete;
  TerminalForeground(const TerminalForeground&) = delete;
  TerminalForeground& operator=(const TerminalForeground&) = delete;
  ~TerminalForeground() { reclaim_foreground(); }

  /// Whether there is a terminal to lend.
  [[nodiscard]] bool exists() const noexcept { return m_terminal.is_open(); }
  /// Returns false if this program runs in the background and cannot lend the terminal.
  [[nodiscard]] bool give_to(pid_t group) noexcept {
    if (m_given_away) return true;
    if (!exists() || tcgetpgrp(m_terminal.get()) != getpgrp()) return false;
    if (tcgetattr(m_terminal.get(), &m_own_modes) != 0) return false;
    m_given_away = tcsetpgrp(m_terminal.get(), group) == 0;
    if (m_given_away && m_child_modes) {
      const SigttouBlocker quiet;
      tcsetattr(m_terminal.get(), TCSADRAIN, &*m_child_modes);
    }
    return m_given_away;
  }

  /// Moves the terminal back to this program, and restores its modes, whatever the borrower did.
  void reclaim_foreground() noexcept {
    if (!std::exchange(m_given_away, false)) return;
    const SigttouBlocker quiet;
    tcsetpgrp(m_terminal.get(), getpgrp());
    tcsetattr(m_terminal.get(), TCSADRAIN, &m_own_modes);
    // Continues other programs of the same pipeline, such as a pager, which were stopped if they
    // read meanwhile.
    kill(0, SIGCONT);
  }

  /// As reclaim_foreground(), but saves the borrower's modes for the next give_to(): it may have
  /// turned echo off.
  void interrupt() noexcept {
    termios modes{};
    if (m_given_away && tcgetattr(m_terminal.get(), &modes) == 0) m_child_modes = modes;
    reclaim_foreground();
  }

 private:
  FileDescriptor m_terminal;
  termios m_own_modes{};
  std::optional<termios> m_child_modes{};
  bool m_given_away = false;
};

/// A command run through /bin/sh without input. It has its own process group, so that all of it can
/// be ended, and gets the terminal when it reads from it, to ask for a passphrase. The destructor
/// ends a running command and its process group: SIGTERM, then SIGKILL a tenth of a second later.
class CommandGroup {
 public:
  /// `name` is the subject of the error. Local if it cannot start.
  [[nodiscard]] static Result<CommandGroup> start(std::string_view name, std::string command) {
    const auto cannot_run = [name](Error error) {
      error.message = fmt::format("{} cannot be run: {}", name, error.message);
      return error;
    };
    auto output = make_pipe();
    if (!output) return cannot_run(std::move(output).error());
    make_nonblocking(output->read.get());
    auto program = GroupGuard::start(
        {.arguments = {"/bin/sh", "-c", std::move(command)}, .output = output->write.get()});
    if (!program) return cannot_run(std::move(program).error());
    return CommandGroup(*std::move(program), std::move(output->read));
  }

  CommandGroup(CommandGroup&& other) noexcept
      : m_pid(std::exchange(other.m_pid, -1)),
        m_target(other.m_target),
        m_output(std::move(other.m_output)),
        m_exit(std::move(other.m_exit)),
        m_terminal(std::move(other.m_terminal)),
        m_guard(std::move(other.m_guard)) {}

  CommandGroup& operator=(CommandGroup&&) = delete;
  CommandGroup(const CommandGroup&) = delete;
  CommandGroup& operator=(const CommandGroup&) = delete;
  ~CommandGroup() {
    if (m_pid >= 0) end();
  }

  /// Checks the command: returns its waitpid(2) status once it has exited. Lends it the terminal if
  /// it is stopped waiting for it; Auth if the terminal is not available.
  [[nodiscard]] Result<std::optional<int>> poll(std::string_view name) {
    int status = 0;
    if (m_pid < 0 || waitpid(m_pid, &status, WNOHANG | WUNTRACED) != m_pid) {
      return std::optional<int>();
    }
    if (WIFSTOPPED(status)) {
      SVC_CHECK(handle_stop(name, WSTOPSIG(status)));
      return std::optional<int>();
    }
    m_pid = -1;
    m_terminal.reclaim_foreground();
    return std::optional(status);
  }

  /// The command's standard output, non-blocking; -1 once closed.
  [[nodiscard]] int output() const noexcept { return m_output.get(); }
  void close_output() noexcept { m_output.reset(); }

  /// Waits for output, the command's exit, `until` or cancellation; only briefly where the system
  /// reports a change in no other way.
  void wait(std::chrono::steady_clock::time_point until, const CancelToken& cancel) const {
    const bool must_poll = !m_exit.is_open() || m_terminal.exists();
    if (must_poll) until = std::min(until, std::chrono::steady_clock::now() + k_poll_interval);
    std::array<pollfd, 2> fds = {pollfd{m_output.get(), POLLIN, 0},
                                 pollfd{m_exit.get(), POLLIN, 0}};
    (void)svc::wait(fds, until, cancel);
  }

 private:
  CommandGroup(GroupGuard::Guarded program, FileDescriptor output) noexcept
      : m_pid(program.pid),
        m_target(program.target),
        m_output(std::move(output)),
        m_exit(open_exit_descriptor(program.pid)),
        m_guard(std::move(program.guard)) {}

  [[nodiscard]] Result<void> handle_stop(std::string_view name, int signal) {
    if (signal == SIGTTIN || signal == SIGTTOU) {
      if (!m_terminal.give_to(-m_target)) {
        return Error{Fault::Auth, fmt::format("{} needs the terminal, which is in use", name),
                     "Run this in the foreground, or unlock the password manager first."};
      }
    } else if (signal == SIGTSTP) {
      // Ctrl-Z reached only the borrower but was meant for the whole pipeline.
      m_terminal.interrupt();
      kill(0, SIGTSTP);
    } else {
      return {};
    }
    kill(m_target, SIGCONT);
    return {};
  }

  void end() noexcept {
    kill(m_target, SIGTERM);
    kill(m_target, SIGCONT);
    const auto until = std::chrono::steady_clock::now() + k_kill_delay;
    while (!has_exited(m_pid) && std::chrono::steady_clock::now() < until) {
      const Deadline poll = m_exit.is_open() ? until : after(milliseconds(5));
      (void)svc::wait_readable(m_exit.get(), poll, NeverCanceled());
    }
    // Not reaped yet, so the group ID is still its own.
    kill(m_target, SIGKILL);
    while (waitpid(m_pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    m_pid = -1;
  }

  pid_t m_pid = -1;
  pid_t m_target = -1;  ///< the process group, negative
  FileDescriptor m_output;
  FileDescriptor m_exit;  ///< readable once the command exits, where supported
  TerminalForeground m_terminal{};
  GroupGuard m_guard;
};

using Clock = std::chrono::steady_clock;

constexpr std::size_t k_max_key_output = 64U << 10U;

/// Reads available output; false at end of file.
bool drain(int fd, std::string& output) {
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t count = read(fd, buffer.data(), buffer.size());
    if (count > 0) {
      const std::size_t room = k_max_key_output - output.size();
      output.append(buffer.data(), std::min(room, static_cast<std::size_t>(count)));
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
      return count != 0 && errno == EAGAIN;
    } else if (errno == EAGAIN) {
      return true;
    }
  }
}

Error interrupted_error(Fault fault) {
  return Error{fault, "interrupted while waiting for a key"};
}

Result<void> check_exit(std::string_view name, int status) {
  const std::string hint = "Run it yourself and check that it prints the key.";
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    // Ctrl-C while the command had the terminal.
    if (signal == SIGINT) return interrupted_error(Fault::Interrupted);
    return Error{Fault::Auth, fmt::format("{} was terminated by signal {}", name, signal), hint};
  }
  const int code = WEXITSTATUS(status);
  if (code == 0) return {};
  if (code == 128 + SIGINT) return interrupted_error(Fault::Interrupted);
  if (code == 127) {
    return Error{Fault::Auth, fmt::format("{}: command not found (exit code 127)", name), hint};
  }
  return Error{Fault::Auth, fmt::format("{} failed with exit code {}", name, code), hint};
}

std::string first_line(const std::string& output) {
  std::string line = output.substr(0, output.find('\n'));
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

}  // namespace

Result<std::string> run_key_command(std::string_view name, const std::string& command,
                                    const CancelToken& cancel, std::chrono::milliseconds limit) {
  const Clock::time_point deadline = Clock::now() + limit;
  SVC_TRY(child, CommandGroup::start(name, command));
  std::string output;
  for (;;) {
    // Checks for the exit first, as all earlier output is then in the pipe. Waiting for end of file
    // would hang if the command left an agent running.
    SVC_TRY(status, child.poll(name));
    if (child.output() >= 0 && !drain(child.output(), output)) child.close_output();
    if (status) {
      SVC_CHECK(check_exit(name, *status));
      break;
    }
    if (const auto fault = cancel.requested()) return interrupted_error(*fault);
    if (Clock::now() >= deadline) {
      return Error{Fault::Auth,
                   fmt::format("{} did not exit within {}", name, format_duration(limit)),
                   "Run it yourself: it may be waiting for a passphrase."};
    }
    child.wait(deadline, cancel);
  }
  std::string line = first_line(output);
  if (line.empty()) {
    return Error{Fault::Auth, fmt::format("{} printed no key", name),
                 "Its first line of output must be the key alone."};
  }
  return line;
}

}  // namespace svc
