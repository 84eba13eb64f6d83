#include "mcp/server_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/program.h"
#include "base/wait.h"

namespace svc::mcp {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// A server whose input has ended ends by itself, as the protocol wants it.
constexpr milliseconds k_leave_time{300};
/// How long it may tidy up when it is asked to end: Ctrl-C must not be felt to hang.
constexpr milliseconds k_tidy_time{300};

}  // namespace

ServerProcess::ServerProcess(pid_t pid, FileDescriptor input, FileDescriptor output,
                             FileDescriptor error) noexcept
    : m_pid(pid),
      m_input(std::move(input)),
      m_output(std::move(output)),
      m_error(std::move(error)),
      m_exit(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}

ServerProcess::ServerProcess(ServerProcess&& other) noexcept
    : m_pid(std::exchange(other.m_pid, -1)),
      m_input(std::move(other.m_input)),
      m_output(std::move(other.m_output)),
      m_error(std::move(other.m_error)),
      m_exit(std::move(other.m_exit)),
      m_asked(other.m_asked) {}

ServerProcess::~ServerProcess() {
  if (m_pid < 0) return;
  m_input.reset();
  m_output.reset();
  m_error.reset();
  if (m_asked || !wait_for_end(k_leave_time)) {
    ask_to_end();
    (void)wait_for_end(k_tidy_time);
  }
  // It is not collected before, so that the group's number is still its own: what a wrapper such as
  // npx has started ends with it.
  ::kill(-m_pid, SIGKILL);
  while (::waitpid(m_pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void ServerProcess::ask_to_end() noexcept {
  m_input.reset();
  if (m_pid < 0) return;
  m_asked = true;
  ::kill(-m_pid, SIGTERM);
  ::kill(-m_pid, SIGCONT);
}

bool ServerProcess::wait_for_end(milliseconds most) const noexcept {
  const auto until = Clock::now() + most;
  while (true) {
    siginfo_t info{};
    const int looked =
        ::waitid(P_PID, static_cast<id_t>(m_pid), &info, WEXITED | WNOHANG | WNOWAIT);
    if (looked != 0 || info.si_pid == m_pid) return true;
    if (Clock::now() >= until) return false;
    const WaitEnd look = m_exit.is_open() ? until : std::min(until, Clock::now() + milliseconds(5));
    (void)wait_readable(m_exit.get(), look, NeverCancelled());
  }
}

std::optional<std::string> ServerProcess::end_text(milliseconds most) const {
  if (m_pid < 0 || !wait_for_end(most)) return std::nullopt;
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(m_pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
    return "ended";
  }
  if (info.si_code == CLD_EXITED) return fmt::format("exit code {}", info.si_status);
  const char* name = ::strsignal(info.si_status);
  return fmt::format("signal {} ({})", info.si_status, name != nullptr ? name : "?");
}

Result<ServerProcess> ServerProcess::start(const ServerCommand& command) {
  if (command.arguments.empty()) return Error{Fault::Unexpected, "there is no program to run"};
  SVC_TRY(input, make_pipe());
  SVC_TRY(output, make_pipe());
  SVC_TRY(error, make_pipe());
  SVC_TRY(pid, start_program({.arguments = command.arguments,
                              .variables = command.variables,
                              .hidden = command.hidden,
                              .folder = command.folder,
                              .input = input.read.get(),
                              .output = output.write.get(),
                              .error = error.write.get()}));
  make_nonblocking(input.write.get());
  make_nonblocking(output.read.get());
  make_nonblocking(error.read.get());
  return ServerProcess(pid, std::move(input.write), std::move(output.read), std::move(error.read));
}

}  // namespace svc::mcp
