#include "terminal/quiet_keys.h"

#include <cerrno>

#include <signal.h>
#include <unistd.h>

#include "terminal/signals.h"

namespace svc::cli {
namespace {

constexpr std::chrono::milliseconds k_between_checks{100};

void set_suspend_action(void (*handler)(int), int flags) noexcept {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGTSTP, &action, nullptr);
}

/// Not every shell repairs the modes that a stopped program left behind.
void on_suspend(int /*number*/) {
  const int before = errno;
  restore_terminal();
  ::raise(SIGTSTP);  // as without this handler, which was in force once
  errno = before;
}

}  // namespace

void QuietKeys::hide() noexcept {
  // Called for every piece of an answer: a look at the terminal costs more than one at the clock.
  const auto time = std::chrono::steady_clock::now();
  if (m_hidden && time - m_checked < k_between_checks) return;
  m_checked = time;
  termios now{};
  if (::tcgetpgrp(m_fd) != ::getpgrp() || ::tcgetattr(m_fd, &now) != 0) return;
  if ((now.c_lflag & ECHO) == 0) return;
  m_before = now;
  now.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  restore_at_exit(m_fd, &m_before);
  m_hidden = true;
  struct sigaction suspend {};
  ::sigaction(SIGTSTP, nullptr, &suspend);
  if (suspend.sa_handler == SIG_DFL) {
    set_suspend_action(on_suspend, static_cast<int>(SA_RESETHAND) | SA_NODEFER | SA_RESTART);
  }
  ::tcsetattr(m_fd, TCSANOW, &now);
}

void QuietKeys::show() noexcept {
  if (!m_hidden) return;
  m_hidden = false;
  if (::tcgetpgrp(m_fd) == ::getpgrp()) ::tcsetattr(m_fd, TCSANOW, &m_before);
  restore_at_exit(-1, nullptr);
  struct sigaction suspend {};
  ::sigaction(SIGTSTP, nullptr, &suspend);
  if (suspend.sa_handler == on_suspend) set_suspend_action(SIG_DFL, 0);
}

}  // namespace svc::cli
