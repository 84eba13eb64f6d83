#include "session/emulator_process.h"

#include <chrono>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "client/api_client.h"
#include "client/environment.h"

extern char** environ;

namespace svc::cli {
namespace {

constexpr auto k_start_limit = std::chrono::seconds(10);

bool is_program(const std::filesystem::path& path) {
  return ::access(path.c_str(), X_OK) == 0;
}

struct Pipe {
  int read = -1;
  int write = -1;
};

Result<Pipe> make_pipe() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("no pipe for the emulator", errno);
  return Pipe{ends[0], ends[1]};
}

/// Reads the one line that the emulator announces itself with.
Result<std::string> read_announcement(int fd, const CancelToken& cancel) {
  std::string line;
  const auto until = std::chrono::steady_clock::now() + k_start_limit;
  while (line.find('\n') == std::string::npos) {
    if (const auto fault = cancel.requested()) return cancelled(*fault);
    if (std::chrono::steady_clock::now() > until) {
      return Error{Fault::Local, "the emulator did not start within ten seconds"};
    }
    pollfd waits[2] = {{fd, POLLIN, 0}, {cancel.wake_fd(), POLLIN, 0}};
    if (::poll(waits, waits[1].fd >= 0 ? 2 : 1, 100) <= 0 || waits[0].revents == 0) continue;
    char buffer[4096];
    const ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      return Error{Fault::Local, "the emulator ended before it listened",
                   "Run `svc emulator` to see why."};
    }
    line.append(buffer, static_cast<std::size_t>(count));
  }
  return line.substr(0, line.find('\n'));
}

Result<EmulatorAddress> read_address(const std::string& line) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object()) return Error{Fault::Local, "the emulator announced itself unreadably"};
  const auto text = [&](const char* name) { return json.value(name, std::string()); };
  return EmulatorAddress{text("base_url"), text("management_url"), text("realtime_url"),
                         text("docs_url"), text("api_key"),        text("management_key"),
                         text("team_id")};
}

}  // namespace

Result<std::string> find_emulator() {
  std::error_code failed;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (!failed && is_program(self.parent_path() / "svc-emulator")) {
    return (self.parent_path() / "svc-emulator").string();
  }
  const std::string path = Environment::of_process()("PATH").value_or("");
  for (const sv folder : split(path, ':')) {
    const auto candidate = std::filesystem::path(folder.empty() ? "." : folder) / "svc-emulator";
    if (is_program(candidate)) return candidate.string();
  }
  return Error{Fault::Local, "the program svc-emulator is neither beside svc nor in PATH",
               "Install the package svc-emulator, from where svc came: apt install ./svc-emulator_*.deb"};
}

Result<EmulatorProcess> EmulatorProcess::start(const CancelToken& cancel) {
  SVC_TRY(program, find_emulator());
  SVC_TRY(announce, make_pipe());
  SVC_TRY(alive, make_pipe());
  // Descriptors 3 and 4 of the child; everything else of ours closes by itself.
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  const int announce_copy = ::fcntl(announce.write, F_DUPFD_CLOEXEC, 10);
  const int alive_copy = ::fcntl(alive.read, F_DUPFD_CLOEXEC, 10);
  ::posix_spawn_file_actions_adddup2(&actions, announce_copy, 3);
  ::posix_spawn_file_actions_adddup2(&actions, alive_copy, 4);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, 5);
  // A Ctrl-C of the terminal is for us: the child ends when we do.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> words = {program, "--announce-fd", "3", "--parent-fd", "4", "--quiet"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = -1;
  const int failed =
      ::posix_spawn(&pid, program.c_str(), &actions, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  for (const int fd : {announce_copy, alive_copy, announce.write, alive.read}) ::close(fd);
  EmulatorProcess process;
  process.m_parent_fd = alive.write;
  if (failed != 0) {
    ::close(announce.read);
    return system_error("svc-emulator cannot be started", failed);
  }
  process.m_pid = pid;
  const Result<std::string> line = read_announcement(announce.read, cancel);
  ::close(announce.read);
  if (!line) return line.error();
  SVC_TRY(address, read_address(*line));
  process.m_address = std::move(address);
  return process;
}

EmulatorProcess::EmulatorProcess(EmulatorProcess&& other) noexcept
    : m_address(std::move(other.m_address)),
      m_pid(std::exchange(other.m_pid, -1)),
      m_parent_fd(std::exchange(other.m_parent_fd, -1)) {}

EmulatorProcess& EmulatorProcess::operator=(EmulatorProcess&& other) noexcept {
  if (this != &other) {
    end();
    m_address = std::move(other.m_address);
    m_pid = std::exchange(other.m_pid, -1);
    m_parent_fd = std::exchange(other.m_parent_fd, -1);
  }
  return *this;
}

EmulatorProcess::~EmulatorProcess() {
  end();
}

void EmulatorProcess::end() noexcept {
  if (m_parent_fd >= 0) ::close(std::exchange(m_parent_fd, -1));
  if (m_pid > 0) {
    ::kill(m_pid, SIGTERM);
    ::waitpid(std::exchange(m_pid, -1), nullptr, 0);
  }
}

}  // namespace svc::cli
