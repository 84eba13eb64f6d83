#include "terminal/key_input.h"

#include <array>
#include <cerrno>
#include <string_view>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/platform.h"
#include "base/text.h"
#include "base/wait.h"
#include "terminal/signals.h"

namespace svc::cli {
namespace {

constexpr std::chrono::milliseconds k_between_checks{100};

void set_suspend_action(void (*handler)(int), int flags) noexcept {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGTSTP, &action, nullptr);
}

/// Not every shell restores the modes after a program was suspended.
void on_suspend(int /*number*/) {
  const int before = errno;
  restore_terminal();
  ::raise(SIGTSTP);  // with the default action, since this handler was reset when called
  errno = before;
}

}  // namespace

KeyInput::KeyInput(bool wanted) {
  if (!wanted) return;
  const bool standard = ::isatty(STDIN_FILENO) == 1;
  const int fd =
      standard ? STDIN_FILENO : ::open(terminal_path().c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (!standard) m_opened = FileDescriptor(fd);
  // Touching the terminal would stop a background job.
  if (fd < 0 || ::tcgetpgrp(fd) != ::getpgrp() || ::tcgetattr(fd, &m_before) != 0) return;
  termios single = m_before;
  single.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  single.c_lflag |= static_cast<tcflag_t>(ISIG);
  single.c_cc[VQUIT] = _POSIX_VDISABLE;  // it would leave the terminal in raw mode
  single.c_cc[VMIN] = 1;
  single.c_cc[VTIME] = 0;
  restore_at_exit(fd, &m_before);
  if (::tcsetattr(fd, TCSADRAIN, &single) == 0) m_fd = fd;
}

KeyInput::~KeyInput() {
  // A background process must not change the terminal.
  if (m_fd >= 0 && ::tcgetpgrp(m_fd) == ::getpgrp()) ::tcsetattr(m_fd, TCSADRAIN, &m_before);
  restore_at_exit(-1, nullptr);
}

std::string KeyInput::read() {
  std::string typed;
  while (m_fd >= 0) {
    const auto ready = wait_readable(m_fd, after(std::chrono::milliseconds(0)), NeverCanceled());
    if (!ready || !*ready) break;
    std::array<char, 64> buffer;
    const ssize_t count = ::read(m_fd, buffer.data(), buffer.size());
    if (count <= 0) {
      m_fd = count == 0 ? -1 : m_fd;
      break;
    }
    for (const char c : std::string_view(buffer.data(), static_cast<std::size_t>(count))) {
      const bool ends = is_letter(c) || c == '~';
      if (c == '\x1b') {
        m_escape = true;
      } else if (m_escape) {
        // `ESC [` and `ESC O` start a sequence that ends with a letter or a tilde.
        m_escape = c == 'O' || !ends;
      } else {
        typed += c;
      }
    }
  }
  return typed;
}

void QuietKeys::hide() noexcept {
  // Called for every chunk of an answer: reading the terminal's modes costs more than reading the
  // clock.
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
