// Runs a piece of a test in a process of its own, which may change user or limits.
#pragma once

#include <cerrno>
#include <csignal>
#include <cstdio>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace svc::test {

/// What `action` returns (0 to 100), or 101 when the process died otherwise.
template <typename Action>
[[nodiscard]] int in_child(Action action) {
  std::fflush(nullptr);  // else a sanitizer's _exit writes our buffers a second time
  const pid_t child = ::fork();
  if (child == 0) ::_exit(action());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 101;
}

/// Gives up root, for whom no file is unreadable. For a child process only.
inline void become_nobody() {
  if (::geteuid() != 0) return;
  if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(100);
}

/// Files of this process may have at most `bytes` from now on.
inline void limit_file_size(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(100);
}

}  // namespace svc::test
