// What libcurl's multi interface needs around it. Internal to lib/http.
#pragma once

#include <chrono>
#include <csignal>
#include <ctime>
#include <memory>

#include <pthread.h>

#include "base/stop.h"
#include "http/curl_library.h"

namespace svc::http {

/// How long a wait may last when the stop cannot wake it.
inline constexpr std::chrono::milliseconds k_blind_wait{50};
inline constexpr std::chrono::milliseconds k_longest_wait{1000};

/// Keeps SIGPIPE, which OpenSSL's plain write() may raise, from ending the program: blocked in this
/// thread meanwhile, and taken away again when it is pending.
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
  ~NoBrokenPipe() {
    const timespec at_once{0, 0};
    if (!m_was_pending) sigtimedwait(&m_pipe, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
  }

 private:
  sigset_t m_pipe{};
  sigset_t m_before{};
  bool m_was_pending = false;
};

struct MultiFree {
  void operator()(CURLM* multi) const noexcept { libcurl().multi_cleanup(multi); }
};

using Multi = std::unique_ptr<CURLM, MultiFree>;

/// Waits until libcurl has something to do or `stop` wakes it, for `longest` at most.
inline void wait_for_libcurl(const Multi& multi, const Stop& stop,
                             std::chrono::milliseconds longest) {
  const bool wakes = stop.wake_fd() >= 0;
  curl_waitfd extra{stop.wake_fd(), CURL_WAIT_POLLIN, 0};
  libcurl().multi_poll(multi.get(), &extra, wakes ? 1 : 0, static_cast<int>(longest.count()),
                       nullptr);
}

/// How long a wait may last, whatever it waits for.
inline std::chrono::milliseconds longest_wait(const Stop& stop) {
  return stop.wake_fd() < 0 ? k_blind_wait : k_longest_wait;
}

}  // namespace svc::http
