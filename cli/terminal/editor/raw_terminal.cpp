#include "terminal/editor/raw_terminal.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "base/wait.h"
#include "terminal/editor/key_reader.h"
#include "terminal/signals.h"

namespace svc::cli {
namespace {

constexpr std::chrono::milliseconds k_escape_time{50};

/// `line` is all input that arrived at once: a key, or a word such as "yes" with more text.
KeyChoice chosen(const Key& key, std::string_view line, std::string_view choices) {
  KeyChoice choice;
  if (key.code == KeyCode::Enter || key.code == KeyCode::NewLine) choice.key = ' ';
  if (key.code == KeyCode::Text) {
    line = line.substr(0, line.find_first_of("\r\n"));
    const std::string word = to_lower(line.substr(0, std::max<std::size_t>(line.find(' '), 1)));
    const bool known = word == "yes" || word == "no" || word == "always";
    if (word.size() == 1 || known) choice.key = word.front();
    choice.rest = trim(line.substr(word.size()));
  }
  if (choices.find(choice.key) == std::string_view::npos) choice.key = '\0';
  return choice;
}

}  // namespace

bool RawTerminal::enter() noexcept {
  // Touching the terminal would stop a background job.
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
  modes.c_cc[VSUSP] = _POSIX_VDISABLE;  // it would leave the terminal in raw mode
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

Result<KeyChoice> read_choice(RawTerminal& terminal, std::string_view choices,
                              const CancelToken& cancel) {
  if (!terminal.enter()) return KeyChoice{};
  terminal.signals(true);
  KeyReader keys;
  std::string line;
  while (true) {
    SVC_TRY(ready, wait_readable(terminal.descriptor(),
                                 keys.waits() ? after(k_escape_time) : Deadline(), cancel));
    if (!ready) {
      keys.settle();
    } else {
      std::array<char, 4096> buffer;
      const ssize_t count = ::read(terminal.descriptor(), buffer.data(), buffer.size());
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count <= 0) return KeyChoice{};
      line.append(buffer.data(), static_cast<std::size_t>(count));
      keys.feed(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
    }
    if (const auto key = keys.next()) return chosen(*key, line, choices);
  }
}

}  // namespace svc::cli
