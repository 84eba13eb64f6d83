#include "client/key_command.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"

namespace svc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t k_max_key_output = 64U << 10U;

class Descriptor {
 public:
  explicit Descriptor(int fd) noexcept : m_fd(fd) {}
  Descriptor(Descriptor&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(); }

  void reset() noexcept {
    if (m_fd >= 0) close(m_fd);
    m_fd = -1;
  }
  [[nodiscard]] int get() const noexcept { return m_fd; }

 private:
  int m_fd = -1;
};

/// A started child; killed and collected when nobody waited for it.
class Child {
 public:
  Child(pid_t pid, Descriptor output) noexcept
      : m_pid(pid),
        m_output(std::move(output)),
        m_exit(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {}
  Child(Child&& other) noexcept
      : m_pid(std::exchange(other.m_pid, -1)),
        m_output(std::move(other.m_output)),
        m_exit(std::move(other.m_exit)) {}
  Child& operator=(Child&&) = delete;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (m_pid < 0) return;
    kill(m_pid, SIGKILL);
    while (waitpid(m_pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  /// The status of waitpid(2) once it has ended.
  std::optional<int> ended() noexcept {
    int status = 0;
    if (m_pid < 0 || waitpid(m_pid, &status, WNOHANG) != m_pid) return std::nullopt;
    m_pid = -1;
    return status;
  }

  [[nodiscard]] int output() const noexcept { return m_output.get(); }
  void close_output() noexcept { m_output.reset(); }
  /// Readable from the end on, or -1 where the system has no such thing.
  [[nodiscard]] int exit_fd() const noexcept { return m_exit.get(); }

 private:
  pid_t m_pid = -1;
  Descriptor m_output;
  Descriptor m_exit;
};

/// posix_spawn's two settings: signals as a fresh program has them, no input, output to `fd`.
class SpawnSetup {
 public:
  explicit SpawnSetup(int fd) {
    posix_spawn_file_actions_init(&m_actions);
    posix_spawnattr_init(&m_attributes);
    posix_spawn_file_actions_addopen(&m_actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&m_actions, fd, STDOUT_FILENO);
    sigset_t none;
    sigset_t usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGQUIT}) sigaddset(&usual, signal);
    posix_spawnattr_setsigmask(&m_attributes, &none);
    posix_spawnattr_setsigdefault(&m_attributes, &usual);
    posix_spawnattr_setflags(&m_attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&m_actions);
    posix_spawnattr_destroy(&m_attributes);
  }
  posix_spawn_file_actions_t m_actions{};
  posix_spawnattr_t m_attributes{};
};

Result<Child> start(std::string_view name, std::string command) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    return system_error(fmt::format("{} cannot be run", name), errno);
  }
  Descriptor reading(ends[0]);
  const Descriptor writing(ends[1]);
  // The child's end blocks, as programs expect of their output.
  fcntl(writing.get(), F_SETFL, 0);
  const SpawnSetup setup(writing.get());
  std::string shell = "sh";
  std::string option = "-c";
  std::array<char*, 4> arguments = {shell.data(), option.data(), command.data(), nullptr};
  pid_t pid = -1;
  const int failed = posix_spawn(&pid, "/bin/sh", &setup.m_actions, &setup.m_attributes,
                                 arguments.data(), environ);
  if (failed != 0) return system_error(fmt::format("{} cannot be run", name), failed);
  return Child(pid, std::move(reading));
}

/// Takes what is there; false at the end of the output.
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

void wait_for_change(const Child& child, const Stop& stop, Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  // Without a descriptor for the end, or for the wish to stop, look again soon.
  const bool must_look = child.exit_fd() < 0 || stop.wake_fd() < 0;
  const auto most = must_look ? std::min<long long>(left, 20) : left;
  std::array<pollfd, 3> fds = {pollfd{child.output(), POLLIN, 0},
                               pollfd{child.exit_fd(), POLLIN, 0},
                               pollfd{stop.wake_fd(), POLLIN, 0}};
  static_cast<void>(poll(fds.data(), fds.size(), static_cast<int>(std::max(0LL, most))));
}

Error stopped(Fault fault) {
  return Error{fault, "interrupted while a key was asked for"};
}

Result<void> check_end(std::string_view name, int status) {
  const std::string hint = "Run it by hand to see what it says; it must print the key.";
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGINT) return stopped(Fault::Interrupted);
    return Error{Fault::Auth, fmt::format("{} was ended by signal {}", name, signal), hint};
  }
  const int code = WEXITSTATUS(status);
  if (code == 0) return {};
  if (code == 127) {
    return Error{Fault::Auth,
                 fmt::format("{} names a command that was not found (exit code 127)", name), hint};
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
                                    const Stop& stop, std::chrono::milliseconds limit) {
  const Clock::time_point deadline = Clock::now() + limit;
  SVC_TRY(child, start(name, command));
  std::string output;
  for (;;) {
    // The end is asked for first: what was written before it is then in the pipe. Waiting for the
    // pipe's end would hang on an agent that the command left running.
    const std::optional<int> status = child.ended();
    if (child.output() >= 0 && !drain(child.output(), output)) child.close_output();
    if (status) {
      SVC_CHECK(check_end(name, *status));
      break;
    }
    if (const auto fault = stop.requested()) return stopped(*fault);
    if (Clock::now() >= deadline) {
      return Error{Fault::Auth,
                   fmt::format("{} did not end within {}", name, format_duration(limit)),
                   "Run it by hand: perhaps it waits for a passphrase."};
    }
    wait_for_change(child, stop, deadline);
  }
  std::string line = first_line(output);
  if (line.empty()) {
    return Error{Fault::Auth, fmt::format("{} printed no key", name),
                 "Its first line of output must be the key alone."};
  }
  return line;
}

}  // namespace svc
