// Keeps SIGPIPE from terminating the program.
#pragma once

#include <cerrno>
#include <csignal>

#include <pthread.h>

#include "base/platform.h"

namespace svc {

/// While this object exists, a SIGPIPE raised by a write (by svc, or by a plain write in OpenSSL)
/// does not terminate the program, however it handles signals: the signal is blocked in this
/// thread, and a pending one is discarded at the end.
class SigpipeGuard {
 public:
  SigpipeGuard() noexcept {
    sigemptyset(&m_pipe);
    sigaddset(&m_pipe, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    m_was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &m_pipe, &m_before);
  }
  SigpipeGuard(const SigpipeGuard&) = delete;
  SigpipeGuard& operator=(const SigpipeGuard&) = delete;
  /// Preserves errno from the write.
  ~SigpipeGuard() {
    const int error = errno;
    if (!m_was_pending) discard_pending(m_pipe);
    pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
    errno = error;
  }

 private:
  sigset_t m_pipe{};
  sigset_t m_before{};
  bool m_was_pending = false;
};

}  // namespace svc
