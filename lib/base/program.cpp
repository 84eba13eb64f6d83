#include "base/program.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/platform.h"
#include "base/sigpipe_guard.h"
#include "base/text.h"
#include "base/wait.h"

extern "C" char** environ;  // macOS does not declare it

namespace svc {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// How long a program may take to exit after SIGTERM.
constexpr milliseconds k_kill_delay{1'000};
/// Polling interval where the system does not report the program's exit.
constexpr milliseconds k_poll_interval{20};

ssize_t write_ignoring_sigpipe(int fd, std::string_view bytes) {
  const SigpipeGuard quiet;
  return ::write(fd, bytes.data(), bytes.size());
}

template <std::size_t N>
bool any_matches(const std::array<std::string_view, N>& patterns, std::string_view name) {
  return std::ranges::any_of(patterns, [&](std::string_view pattern) {
    return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1))
                                  : name == pattern;
  });
}

/// SVC_API_KEY, SVC_WEBHOOK_SECRET, SVC_API_KEY_FILE, …
bool is_own_secret(std::string_view name) {
  constexpr std::array<std::string_view, 5> k_ends = {"_KEY", "_SECRET", "_TOKEN", "_PASSWORD",
                                                      "_FILE"};
  return name.starts_with("SVC_") &&
         std::ranges::any_of(k_ends, [&](std::string_view end) { return name.ends_with(end); });
}

bool is_inherited(const SpawnOptions& run, std::string_view name) {
  // The list that the software development kits of the Model Context Protocol pass on, and what
  // finds the user's files and the way to the network.
  constexpr std::array<std::string_view, 18> k_usual = {
      "PATH",        "HOME",      "SHELL",    "TERM",        "USER",      "LOGNAME",
      "LANG",        "LANGUAGE",  "LC_*",     "XDG_*",       "TMPDIR",    "http_proxy",
      "https_proxy", "all_proxy", "no_proxy", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"};
  if (std::ranges::find(run.passed_variables, name) != run.passed_variables.end()) return true;
  if (run.inherit == Inherit::Usual) return any_matches(k_usual, name);
  return run.inherit == Inherit::Everything || !is_own_secret(name);
}

/// The inherited variables, preceded by the added ones, which override them.
std::vector<std::string> build_environment(const SpawnOptions& run) {
  std::vector<std::string> all;
  for (const auto& [name, value] : run.variables) all.push_back(name + "=" + value);
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view one = *at;
    const std::string_view name = one.substr(0, one.find('='));
    const bool replaced = std::any_of(run.variables.begin(), run.variables.end(),
                                      [&](const auto& other) { return other.first == name; });
    if (!replaced && is_inherited(run, name)) all.emplace_back(one);
  }
  return all;
}

std::vector<char*> to_argv(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

/// posix_spawn settings that start a program as a shell would.
class SpawnSettings {
 public:
  SpawnSettings(bool own_group, pid_t of_group) {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t default_signals;
    sigemptyset(&none);
    sigemptyset(&default_signals);
    for (const int signal :
         {SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGQUIT, SIGXFSZ, SIGTTIN, SIGTTOU}) {
      sigaddset(&default_signals, signal);
    }
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &default_signals);
    posix_spawnattr_setpgroup(&attributes, of_group);
    if (own_group) m_flags |= POSIX_SPAWN_SETPGROUP;
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }

  void set_stream(int stream, int fd) {
    if (fd < 0) {
      posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
    } else {
      posix_spawn_file_actions_adddup2(&actions, fd, stream);
    }
  }

  /// After all streams.
  void close_others() {
    m_flags |= close_other_descriptors(actions);
    posix_spawnattr_setflags(&attributes, static_cast<short>(m_flags));
  }

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};

 private:
  int m_flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
};

/// A running program.
class RunningProgram {
 public:
  RunningProgram(GroupGuard::Guarded program, FileDescriptor input, FileDescriptor output,
                 FileDescriptor error, const ProgramOptions& run)
      : m_pid(program.pid),
        m_target(program.target),
        m_exit(open_exit_descriptor(m_pid)),
        m_input(std::move(input)),
        m_output(std::move(output)),
        m_error(std::move(error)),
        m_run(run),
        m_guard(std::move(program.guard)) {}
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
  ~RunningProgram() {
    m_guard.reset();
    if (m_pid < 0) return;
    ::kill(m_target, SIGKILL);
    while (::waitpid(m_pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  Result<ProgramExit> wait(const CancelToken& cancel) {
    const auto begin = Clock::now();
    std::optional<Clock::time_point> kill_at;
    ProgramExit end;
    std::optional<Fault> stopped;
    while (true) {
      write_some();
      read_some();
      if (const auto status = try_wait()) {
        // Children that ignored SIGTERM.
        if (kill_at && m_run.own_group) ::kill(m_target, SIGKILL);
        read_some();
        if (stopped) return svc::canceled(*stopped);
        end.code = WIFEXITED(*status) ? WEXITSTATUS(*status) : 0;
        end.signal = WIFSIGNALED(*status) ? WTERMSIG(*status) : 0;
        return end;
      }
      const auto now = Clock::now();
      const bool over = m_run.limit.count() > 0 && now - begin >= m_run.limit;
      if (!kill_at && (over || cancel.requested())) {
        stopped = cancel.requested();
        end.timed_out = !stopped;
        ::kill(m_target, SIGTERM);
        kill_at = now + k_kill_delay;
      }
      if (kill_at && now >= *kill_at) ::kill(m_target, SIGKILL);
      const auto until = kill_at                   ? *kill_at
                         : m_run.limit.count() > 0 ? begin + m_run.limit
                                                   : now + k_long;
      pause(cancel, std::max(until, now + milliseconds(1)), kill_at.has_value());
    }
  }

 private:
  static constexpr auto k_long = std::chrono::seconds(60);
  static constexpr int k_max_reads = 80;  ///< reads more than the largest pipe can buffer

  std::optional<int> try_wait() {
    int status = 0;
    const pid_t got = ::waitpid(m_pid, &status, WNOHANG);
    if (got != m_pid) return std::nullopt;
    m_pid = -1;
    return status;
  }

  void write_some() {
    while (m_input.is_open()) {
      const std::string_view left = std::string_view(*m_run.input).substr(m_written);
      if (left.empty()) return m_input.reset();
      const ssize_t count = write_ignoring_sigpipe(m_input.get(), left);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      if (count <= 0) return m_input.reset();
      m_written += static_cast<std::size_t>(count);
    }
  }

  void read_some() {
    read_from(m_output, m_run.take);
    read_from(m_error, m_run.take_error);
  }

  static void read_from(FileDescriptor& from,
                        const std::function<void(std::string_view bytes)>& take) {
    std::array<char, 16U << 10U> buffer;  // not cleared, as read() fills it first
    // Limits reads from a program that writes endlessly, so that the timeout and `cancel` still
    // apply.
    for (int times = 0; times < k_max_reads && from.is_open(); ++times) {
      const ssize_t count = ::read(from.get(), buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      if (count <= 0) return from.reset();
      if (take) take(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
    }
  }

  void pause(const CancelToken& cancel, Clock::time_point until, bool ending) const {
    std::array<pollfd, 4> fds = {pollfd{m_exit.get(), POLLIN, 0}, pollfd{m_input.get(), POLLOUT, 0},
                                 pollfd{m_output.get(), POLLIN, 0},
                                 pollfd{m_error.get(), POLLIN, 0}};
    if (!m_exit.is_open()) until = std::min(until, Clock::now() + k_poll_interval);
    const NeverCanceled never;
    (void)svc::wait(fds, until, ending ? static_cast<const CancelToken&>(never) : cancel);
  }

  pid_t m_pid;
  pid_t m_target;         ///< target of signals: the process group if it has its own
  FileDescriptor m_exit;  ///< readable once the program exits, where supported
  FileDescriptor m_input;
  FileDescriptor m_output;
  FileDescriptor m_error;
  const ProgramOptions& m_run;
  std::optional<GroupGuard> m_guard{};
  std::size_t m_written = 0;
};

}  // namespace

std::string describe(const ProgramExit& end, std::chrono::milliseconds limit) {
  if (end.timed_out) return "ended after " + format_duration(limit);
  if (end.signal != 0) {
    const char* name = ::strsignal(end.signal);
    return "signal " + std::to_string(end.signal) +
           (name != nullptr ? " (" + std::string(name) + ")" : std::string());
  }
  return "exit code " + std::to_string(end.code);
}

void make_nonblocking(int fd) {
  (void)::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

Result<pid_t> start_program(const SpawnOptions& start) {
  if (start.arguments.empty()) return Error{Fault::Unexpected, "no program given"};
  // A descriptor in the range of the standard streams is moved away before it would be overwritten.
  std::vector<FileDescriptor> copies;
  const auto moved = [&](int fd) {
    if (fd < 0 || fd > STDERR_FILENO) return fd;
    copies.emplace_back(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    return copies.back().get();
  };
  const std::array<int, 3> streams = {moved(start.input), moved(start.output), moved(start.error)};
  for (const FileDescriptor& copy : copies) {
    if (!copy.is_open()) return system_error("cannot start a program", errno);
  }
  SpawnSettings settings(start.own_group, start.group);
  for (int stream = 0; stream <= STDERR_FILENO; ++stream) {
    settings.set_stream(stream, streams[static_cast<std::size_t>(stream)]);
  }
  if (!start.directory.empty()) {
    posix_spawn_file_actions_addchdir_np(&settings.actions, start.directory.c_str());
  }
  settings.close_others();
  std::vector<std::string> arguments = start.arguments;
  std::vector<std::string> variables = build_environment(start);
  pid_t pid = -1;
  const int failed =
      ::posix_spawnp(&pid, arguments.front().c_str(), &settings.actions, &settings.attributes,
                     to_argv(arguments).data(), to_argv(variables).data());
  if (failed != 0) {
    return system_error("the program " + quote_path(arguments.front()) + " cannot be run", failed);
  }
  // Again, as shells do: with an emulated processor posix_spawn returns before the program runs, but
  // whoever joins the group or signals it needs it now.
  if (start.own_group) (void)::setpgid(pid, start.group);
  return pid;
}

GroupGuard::GroupGuard(Target target) {
  Result<Pipe> alive = make_pipe();
  if (!alive) return;
  const auto pid = start_program(
      {.arguments = {"/bin/sh", "-c",
                     target == Target::Group
                         ? "trap '' HUP INT QUIT TERM TSTP TTIN TTOU; read _; kill -s KILL 0"
                         : "read pid && { read _; kill -s HUP \"$pid\"; sleep 1; "
                           "kill -s KILL \"$pid\"; }"},
       .input = alive->read.get(),
       .output = -1,
       .error = -1});
  if (!pid) return;
  m_pid = *pid;
  m_alive = std::move(alive->write);
}

void GroupGuard::watch(pid_t pid) {
  if (!m_alive.is_open()) return;
  const SigpipeGuard no_signal;  // somebody may have killed the guard
  const std::string line = std::to_string(pid) + "\n";
  (void)!::write(m_alive.get(), line.data(), line.size());
}

Result<GroupGuard::Guarded> GroupGuard::start(SpawnOptions start) {
  GroupGuard guard(start.own_group ? Target::Group : Target::Process);
  if (start.own_group) start.group = std::max(guard.m_pid, 0);
  SVC_TRY(pid, start_program(start));
  if (!start.own_group) guard.watch(pid);
  const pid_t group = start.group > 0 ? start.group : pid;
  return Guarded{pid, start.own_group ? -group : pid, std::move(guard)};
}

GroupGuard::GroupGuard(GroupGuard&& other) noexcept
    : m_alive(std::move(other.m_alive)), m_pid(std::exchange(other.m_pid, -1)) {}

GroupGuard::~GroupGuard() {
  if (m_pid < 0) return;
  ::kill(m_pid, SIGKILL);
  while (::waitpid(m_pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Result<ProgramExit> run_program(const ProgramOptions& run, const CancelToken& cancel) {
  const bool takes = run.output == ProgramOutput::Captured || run.output == ProgramOutput::All;
  SVC_TRY(input, run.input ? make_pipe() : Pipe());
  SVC_TRY(output, takes ? make_pipe() : Pipe());
  SVC_TRY(error, run.take_error ? make_pipe() : Pipe());
  for (const FileDescriptor* own : {&input.write, &output.read, &error.read}) {
    if (own->is_open()) make_nonblocking(own->get());
  }
  const int output_fd = takes                                ? output.write.get()
                        : run.output == ProgramOutput::Error ? STDERR_FILENO
                                                             : STDOUT_FILENO;
  const int error_fd = run.output == ProgramOutput::All ? output_fd
                       : run.take_error                 ? error.write.get()
                                                        : STDERR_FILENO;
  SVC_TRY(program, GroupGuard::start({.arguments = run.arguments,
                                      .variables = run.variables,
                                      .inherit = run.inherit,
                                      .passed_variables = run.passed_variables,
                                      .input = run.input ? input.read.get() : STDIN_FILENO,
                                      .output = output_fd,
                                      .error = error_fd,
                                      .own_group = run.own_group}));
  input.read.reset();
  output.write.reset();
  error.write.reset();
  return RunningProgram(std::move(program), std::move(input.write), std::move(output.read),
                        std::move(error.read), run)
      .wait(cancel);
}

}  // namespace svc
