#include "support/case_companion.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace svc::test {
namespace {

using Clock = std::chrono::steady_clock;

Milliseconds since(Clock::time_point start) {
  return std::chrono::duration_cast<Milliseconds>(Clock::now() - start);
}

/// Only processes whose environment is readable; one that exits meanwhile has an empty one.
std::vector<pid_t> processes_with(const std::string& setting, pid_t except) {
  std::vector<pid_t> found;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", failed)) {
    const pid_t pid = static_cast<pid_t>(std::atoi(entry.path().filename().c_str()));
    if (pid <= 0 || pid == except) continue;
    std::ifstream environment(entry.path() / "environ", std::ios::binary);
    for (std::string line; std::getline(environment, line, '\0');) {
      if (line == setting) found.push_back(pid);
    }
  }
  return found;
}

}  // namespace

Companion::~Companion() {
  stop();
}

int Companion::stop() {
  if (m_pid < 0) return 0;
  int status = 0;
  ::kill(m_pid, SIGTERM);
  for (int tries = 0; ::waitpid(m_pid, &status, WNOHANG) == 0; ++tries) {
    if (tries == 500) ::kill(-m_pid, SIGKILL);
    std::this_thread::sleep_for(Milliseconds(10));
  }
  m_pid = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool wait_for_stragglers(const std::string& setting, pid_t except, Milliseconds patience) {
  const auto start = Clock::now();
  while (true) {
    const std::vector<pid_t> left = processes_with(setting, except);
    if (left.empty()) return true;
    if (since(start) >= patience) {
      for (const pid_t pid : left) ::kill(pid, SIGKILL);
      return false;
    }
    std::this_thread::sleep_for(Milliseconds(20));
  }
}

Result<std::string> read_line(int fd, Milliseconds limit) {
  std::string line;
  const auto start = Clock::now();
  while (since(start) < limit) {
    pollfd watched{fd, POLLIN, 0};
    if (::poll(&watched, 1, 100) <= 0) continue;
    char byte = 0;
    if (::read(fd, &byte, 1) <= 0) break;
    if (byte == '\n') return line;
    line.push_back(byte);
  }
  return Error{Fault::Local, "no complete line within the time limit, only '" + line + "'"};
}

}  // namespace svc::test
