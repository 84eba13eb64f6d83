// Runs part of a test in its own process, which may change its user or limits.
#pragma once

#include <cerrno>
#include <csignal>
#include <cstdio>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace svc::test {

/// The return value of `action` (0 to 100), or 101 if the process died.
template <typename Action>
[[nodiscard]] int in_child(Action action) {
  std::fflush(nullptr);  // otherwise a sanitizer's _exit writes our buffers again
  const pid_t child = ::fork();
  if (child == 0) ::_exit(action());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 101;
}

/// Drops root privileges, which make every file readable. Only for child processes.
inline void become_nobody() {
  if (::geteuid() != 0) return;
  if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(100);
}

/// Limits files written by this process to `bytes`.
inline void limit_file_size(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(100);
}

}  // namespace svc::test
