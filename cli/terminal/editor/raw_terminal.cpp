#include "terminal/editor/raw_terminal.h"

#include <csignal>

#include <sys/ioctl.h>
#include <unistd.h>

#include "terminal/signals.h"

namespace svc::cli {

bool RawTerminal::enter() noexcept {
  // A job in the background would be stopped for touching the terminal.
  if (::tcgetpgrp(m_fd) != ::getpgrp()) return false;
  if (!m_entered && ::tcgetattr(m_fd, &m_before) != 0) return false;
  termios raw = m_before;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG | IEXTEN);
  raw.c_iflag &= ~static_cast<tcflag_t>(ICRNL | INLCR | IXON | ISTRIP);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  m_entered = true;
  restore_at_exit(m_fd, &m_before);
  if (::tcsetattr(m_fd, TCSADRAIN, &raw) != 0) return false;
  if (m_signals) signals(true);
  return true;
}

void RawTerminal::leave() noexcept {
  if (!m_entered) return;
  m_entered = false;
  if (::tcgetpgrp(m_fd) == ::getpgrp()) ::tcsetattr(m_fd, TCSADRAIN, &m_before);
  restore_at_exit(-1, nullptr);
}

void RawTerminal::signals(bool wanted) noexcept {
  m_signals = wanted;
  termios modes{};
  if (!m_entered || ::tcgetattr(m_fd, &modes) != 0) return;
  modes.c_lflag &= ~static_cast<tcflag_t>(ISIG);
  if (wanted) modes.c_lflag |= static_cast<tcflag_t>(ISIG);
  modes.c_cc[VQUIT] = _POSIX_VDISABLE;
  modes.c_cc[VSUSP] = _POSIX_VDISABLE;  // it would leave the terminal like this
  ::tcsetattr(m_fd, TCSADRAIN, &modes);
}

void RawTerminal::suspend() noexcept {
  leave();
  ::kill(0, SIGTSTP);
  (void)enter();
}

TerminalSize RawTerminal::size() const noexcept {
  winsize window{};
  TerminalSize size;
  if (::ioctl(m_fd, TIOCGWINSZ, &window) != 0) return size;
  if (window.ws_col > 0) size.columns = window.ws_col;
  if (window.ws_row > 0) size.lines = window.ws_row;
  return size;
}

}  // namespace svc::cli
