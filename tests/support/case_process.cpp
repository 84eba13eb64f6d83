#include "support/case_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <mutex>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "support/case_fd.h"
#include "support/pty.h"

#if defined(SVC_INSTRUMENTED)
#define SVC_UNDER_SANITIZER true
#else
#define SVC_UNDER_SANITIZER false
#endif

namespace svc::test {
namespace {

using Clock = std::chrono::steady_clock;

Milliseconds since(Clock::time_point start) {
  return std::chrono::duration_cast<Milliseconds>(Clock::now() - start);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

/// Runs in the new process between fork and exec, so it may only make system calls.
[[noreturn]] void become(const SpawnPlan& plan, char* const* argv, char* const* env) {
  ::setsid();
  if (plan.terminal >= 0) ::ioctl(plan.terminal, TIOCSCTTY, 0);
  const std::array<int, 4> wanted = {plan.in, plan.out, plan.err, plan.extra};
  for (int target = 0; target < 4; ++target) {
    const int fd = wanted[static_cast<std::size_t>(target)];
    if (fd < 0) {
      ::close(target);
    } else if (fd == target) {
      ::fcntl(fd, F_SETFD, 0);
    } else {
      ::dup2(fd, target);
    }
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int number = 1; number < 32; ++number) ::signal(number, SIG_DFL);
  if (::chdir(plan.directory.c_str()) == 0) ::execve(argv[0], argv, env);
  ::_exit(127);
}

struct Pipe {
  Fd read{};
  Fd write{};
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("cannot make a pipe", errno);
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

int exit_code(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// A running command and our ends of its streams.
class Running {
 public:
  explicit Running(const CommandPlan& plan) : m_plan(plan), m_input(plan.input_text) {}

  Result<void> start();
  CommandOutcome watch();

 private:
  Result<void> open_streams(SpawnPlan& spawning, std::array<Fd, 3>& theirs);
  void move_bytes(int wait_ms);
  void act();
  void resize(const CaseAction& action);
  [[nodiscard]] bool due(const CaseAction& action);
  bool reap();
  void drain(Clock::time_point exited);
  static bool take(Fd& fd, std::string& into);
  void feed();

  const CommandPlan& m_plan;
  std::string m_input;
  std::size_t m_fed = 0;
  std::optional<Pty> m_pty{};
  Fd m_in{};
  Fd m_out{};
  Fd m_err{};
  Fd m_master{};
  pid_t m_pid = -1;
  Clock::time_point m_start = Clock::now();
  Clock::time_point m_last_action = m_start;
  bool m_requests_reached = false;
  std::optional<Clock::time_point> m_found_at{};  ///< when the text of the next action was written
  std::size_t m_out_seen = 0;                     ///< bytes of output at the last action
  std::size_t m_err_seen = 0;
  CommandOutcome m_outcome{};
};

Result<void> Running::open_streams(SpawnPlan& spawning, std::array<Fd, 3>& theirs) {
  const bool tty_in = m_plan.tty && m_plan.tty->input;
  const bool tty_out = m_plan.tty && m_plan.tty->output;
  const bool tty_err = m_plan.tty && m_plan.tty->error;
  if (m_plan.tty) {
    SVC_TRY(pty, Pty::open(m_plan.tty->columns, m_plan.tty->rows));
    m_pty.emplace(std::move(pty));
    m_outcome.modes_before = m_pty->modes();
    m_master = Fd(::fcntl(m_pty->master(), F_DUPFD_CLOEXEC, 4));
    spawning.terminal = m_pty->slave();
  }
  if (tty_in) {
    spawning.in = m_pty->slave();
  } else if (m_plan.input == CaseInput::Null) {
    theirs[0] = Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    spawning.in = theirs[0].get();
  } else if (m_plan.input != CaseInput::Closed) {
    SVC_TRY(pipe, make_pipe());
    m_in = std::move(pipe.write);
    theirs[0] = std::move(pipe.read);
    spawning.in = theirs[0].get();
    ::fcntl(m_in.get(), F_SETFL, O_NONBLOCK);
  }
  SVC_TRY(out, make_pipe());
  SVC_TRY(err, make_pipe());
  m_out = std::move(out.read);
  m_err = std::move(err.read);
  theirs[1] = std::move(out.write);
  theirs[2] = std::move(err.write);
  spawning.out = tty_out ? m_pty->slave() : theirs[1].get();
  spawning.err = tty_err ? m_pty->slave() : theirs[2].get();
  return {};
}

Result<void> Running::start() {
  SpawnPlan spawning;
  spawning.argv = {"/bin/sh", "-c", m_plan.command};
  spawning.env = m_plan.env;
  spawning.directory = m_plan.directory;
  std::array<Fd, 3> theirs{};
  SVC_CHECK(open_streams(spawning, theirs));
  // A new process starts with its parent's size as its peak. AddressSanitizer has its own
  // allocator, and malloc_trim() from several threads would break it during its start.
#ifdef __GLIBC__
  if (!under_sanitizer()) ::malloc_trim(0);
#endif
  m_start = m_last_action = Clock::now();
  SVC_TRY(pid, spawn(spawning));
  m_pid = pid;
  return {};
}

/// Reads available data; closes the descriptor at its end. False if there was no data.
bool Running::take(Fd& fd, std::string& into) {
  std::array<char, 65536> buffer{};
  const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  if (count <= 0) {
    fd.reset();
    return false;
  }
  const std::size_t room = k_max_captured - into.size();
  into.append(buffer.data(), std::min(room, static_cast<std::size_t>(count)));
  return true;
}

void Running::feed() {
  const ssize_t count = ::write(m_in.get(), m_input.data() + m_fed, m_input.size() - m_fed);
  if (count > 0) m_fed += static_cast<std::size_t>(count);
  const bool failed = count < 0 && errno != EAGAIN && errno != EINTR;
  if (failed || m_fed == m_input.size()) m_in.reset();
}

void Running::move_bytes(int wait_ms) {
  const bool feeding = m_in.open() && m_plan.input == CaseInput::Text;
  if (feeding && m_input.empty()) m_in.reset();
  std::array<pollfd, 4> watched = {{{m_out.get(), POLLIN, 0},
                                    {m_err.get(), POLLIN, 0},
                                    {m_master.get(), POLLIN, 0},
                                    {feeding ? m_in.get() : -1, POLLOUT, 0}}};
  if (::poll(watched.data(), watched.size(), wait_ms) <= 0) return;
  if (watched[0].revents != 0) take(m_out, m_outcome.out);
  if (watched[1].revents != 0) take(m_err, m_outcome.err);
  if (watched[2].revents != 0) take(m_master, m_outcome.out);
  if (watched[3].revents != 0 && m_in.open()) feed();
}

bool Running::due(const CaseAction& action) {
  if (!action.when.empty()) {
    const std::size_t from = action.then ? m_out_seen : 0;
    const std::size_t from_err = action.then ? m_err_seen : 0;
    const bool found = m_outcome.out.find(action.when, from) != std::string::npos ||
                       m_outcome.err.find(action.when, from_err) != std::string::npos;
    if (found && !m_found_at) m_found_at = Clock::now();
    return found && since(*m_found_at) >= action.after;
  }
  if (action.requests != 0 && !m_requests_reached) {
    if (!m_plan.requests_seen || m_plan.requests_seen() < action.requests) return false;
    m_requests_reached = true;
    m_last_action = Clock::now();
  }
  return since(m_last_action) >= action.after;
}

void Running::act() {
  while (m_outcome.actions_done < m_plan.actions.size()) {
    const CaseAction& action = m_plan.actions[m_outcome.actions_done];
    if (!due(action)) return;
    m_out_seen = m_outcome.out.size();
    m_err_seen = m_outcome.err.size();
    if (action.signal != 0) {
      ::kill(-m_pid, action.signal);
    } else if (action.columns > 0) {
      resize(action);
    } else if (m_master.open()) {
      // The terminal's queue has room for far more than a test types.
      if (::write(m_master.get(), action.text.data(), action.text.size()) < 0) m_master.reset();
    }
    ++m_outcome.actions_done;
    m_last_action = Clock::now();
    m_requests_reached = false;
    m_found_at.reset();
  }
}

void Running::resize(const CaseAction& action) {
  if (!m_pty) return;
  winsize size{};
  size.ws_col = static_cast<unsigned short>(action.columns);
  size.ws_row = static_cast<unsigned short>(action.rows);
  ::ioctl(m_pty->master(), TIOCSWINSZ, &size);
  m_outcome.resizes.push_back({m_outcome.out.size(), action.columns, action.rows});
}

bool Running::reap() {
  int status = 0;
  rusage used{};
  if (::wait4(m_pid, &status, WNOHANG, &used) != m_pid) return false;
  m_outcome.wall = since(m_start);
  m_outcome.exit = exit_code(status);
  m_outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  m_outcome.max_rss = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
  return true;
}

/// Reads output written before the exit that is still in the pipes, for at most a second.
void Running::drain(Clock::time_point exited) {
  std::size_t before = 0;
  bool waiting = true;
  while (waiting && since(exited) < Milliseconds(1000)) {
    before = m_outcome.out.size() + m_outcome.err.size();
    move_bytes(20);
    const bool quiet = m_outcome.out.size() + m_outcome.err.size() == before;
    waiting = m_out.open() || m_err.open() || !quiet;
  }
}

CommandOutcome Running::watch() {
  while (!reap()) {
    move_bytes(10);
    act();
    if (!m_outcome.timed_out && since(m_start) >= m_plan.timeout) {
      m_outcome.timed_out = true;
      ::kill(-m_pid, SIGKILL);
    }
  }
  const auto exited = Clock::now();
  drain(exited);
  while (::kill(-m_pid, 0) == 0 && since(exited) < Milliseconds(10000)) {
    std::this_thread::sleep_for(Milliseconds(10));
  }
  if (::kill(-m_pid, 0) == 0) {
    m_outcome.left_process = true;
    ::kill(-m_pid, SIGKILL);
  }
  if (m_pty) m_outcome.modes_after = m_pty->modes();
  return std::move(m_outcome);
}

/// Locked while a process starts and while a program is written.
std::mutex& beginning() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

bool under_sanitizer() noexcept {
  return SVC_UNDER_SANITIZER;
}

Result<pid_t> spawn(const SpawnPlan& plan) {
  const std::vector<char*> argv = pointers(plan.argv);
  const std::vector<char*> env = pointers(plan.env);
  const std::lock_guard hold(beginning());
  const pid_t pid = ::fork();
  if (pid < 0) return system_error("cannot start " + plan.argv.front(), errno);
  if (pid == 0) become(plan, argv.data(), env.data());
  return pid;
}

Result<void> write_program(const std::string& path, const std::string& text, mode_t rights) {
  const std::lock_guard hold(beginning());
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return system_error("cannot write " + path, errno);
  if (::chmod(path.c_str(), rights) != 0) return system_error("chmod", errno);
  return {};
}

Result<CommandOutcome> run_command(const CommandPlan& plan) {
  Running running(plan);
  SVC_CHECK(running.start());
  return running.watch();
}

}  // namespace svc::test
