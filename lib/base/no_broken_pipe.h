// Keeps SIGPIPE from ending the program.
#pragma once

#include <cerrno>
#include <csignal>
#include <ctime>

#include <pthread.h>

namespace svc {

/// Keeps a SIGPIPE that a write raises (ours, or a plain one of OpenSSL) from ending the program,
/// whatever that does about signals: blocked in this thread while this lives, and taken away again
/// when it is pending.
class NoBrokenPipe {
 public:
  NoBrokenPipe() noexcept {
    sigemptyset(&m_pipe);
    sigaddset(&m_pipe, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    m_was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &m_pipe, &m_before);
  }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;
  /// Leaves errno as the write set it.
  ~NoBrokenPipe() {
    const int error = errno;
    const timespec at_once{0, 0};
    if (!m_was_pending) sigtimedwait(&m_pipe, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
    errno = error;
  }

 private:
  sigset_t m_pipe{};
  sigset_t m_before{};
  bool m_was_pending = false;
};

}  // namespace svc
