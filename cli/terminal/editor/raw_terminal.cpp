#include "terminal/editor/raw_terminal.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "base/wait.h"
#include "terminal/editor/key_reader.h"
#include "terminal/signals.h"

namespace svc::cli {
namespace {

/// Reads what was typed between two silences; nothing if it is not an answer.
std::optional<KeyChoice> chosen(std::string_view typed, std::string_view choices) {
  KeyReader keys;
  keys.feed(typed);
  keys.settle();
  const auto key = keys.next();
  if (!key) return std::nullopt;
  const auto offers = [&](char c) { return choices.find(c) != std::string_view::npos; };
  const bool enter = key->code == KeyCode::Enter || key->code == KeyCode::NewLine;
  if (enter && offers(' ')) return KeyChoice{' '};
  if (enter || key->code == KeyCode::Escape ||
      (key->code == KeyCode::Control && key->text == "d")) {
    return keys.next() ? std::nullopt : std::optional(KeyChoice{});
  }
  if (key->code != KeyCode::Text) return std::nullopt;
  const std::string_view line = typed.substr(0, typed.find_first_of("\r\n"));
  const std::string word = to_lower(line.substr(0, std::max<std::size_t>(line.find(' '), 1)));
  KeyChoice choice{word.front(), std::string(trim(line.substr(word.size())))};
  const bool known = word.size() == 1 || word == "yes" || word == "no" || word == "always";
  const bool reasoned = choice.rest.empty() || (choice.key == 'e' && line.size() < typed.size());
  if (!known || !reasoned || !offers(choice.key)) return std::nullopt;
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

std::optional<KeyChoice> AnswerGate::type(std::string_view keys, Time now) {
  const auto before = std::exchange(m_last, now);
  if (m_typed.empty() && now - before < k_silence) {
    m_ahead += keys;
    return std::nullopt;
  }
  m_typed += keys;
  return m_typed.ends_with('\r') || m_typed.ends_with('\n') ? silence() : std::nullopt;
}

std::optional<KeyChoice> AnswerGate::silence() {
  const std::string typed = std::exchange(m_typed, {});
  auto choice = chosen(typed, m_choices);
  if (!choice) m_ahead += typed;
  return choice;
}

std::optional<AnswerGate::Time> AnswerGate::deadline() const {
  return m_typed.empty() ? std::nullopt : std::optional(m_last + k_silence);
}

Result<KeyChoice> read_choice(RawTerminal& terminal, std::string_view choices,
                              const CancelToken& cancel,
                              const std::function<void(std::string_view)>& ahead) {
  if (!terminal.enter()) return KeyChoice{};
  terminal.signals(true);
  AnswerGate gate(std::string(choices), std::chrono::steady_clock::now());
  while (true) {
    SVC_TRY(ready, wait_readable(terminal.descriptor(), gate.deadline(), cancel));
    std::optional<KeyChoice> choice;
    if (ready) {
      std::array<char, 4096> buffer;
      const ssize_t count = ::read(terminal.descriptor(), buffer.data(), buffer.size());
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count <= 0) return KeyChoice{};
      choice = gate.type(std::string_view(buffer.data(), static_cast<std::size_t>(count)),
                         std::chrono::steady_clock::now());
    } else {
      choice = gate.silence();
    }
    if (choice) return *std::move(choice);
    if (const std::string keys = gate.take_ahead(); !keys.empty()) ahead(keys);
  }
}

}  // namespace svc::cli
