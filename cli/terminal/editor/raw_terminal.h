// The terminal's modes while a conversation is written on it, and one key as an answer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <termios.h>

#include "base/cancel_token.h"
#include "base/result.h"

namespace svc::cli {

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t lines = 24;
};

/// From enter() to leave() or the destructor, the terminal delivers single keys, does not echo, and
/// sends no signals for keys. If a program started meanwhile changes the modes, enter() restores
/// them.
class RawTerminal {
 public:
  explicit RawTerminal(int fd) noexcept : m_fd(fd) {}
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  ~RawTerminal() { leave(); }

  /// Returns false if this is not a terminal, or not the foreground process.
  [[nodiscard]] bool enter() noexcept;
  void leave() noexcept;
  /// Whether Ctrl-C sends a signal (Ctrl-Z and Ctrl-\ do nothing): for times when no keys are read.
  void signals(bool wanted) noexcept;
  /// Suspends the program like Ctrl-Z; returns when it is in the foreground again.
  void suspend() noexcept;

  [[nodiscard]] int descriptor() const noexcept { return m_fd; }
  [[nodiscard]] TerminalSize size() const noexcept;

 private:
  int m_fd;
  bool m_entered = false;
  bool m_signals = false;
  termios m_before{};
};

/// A keypress that answers a question.
struct KeyChoice {
  char key = '\0';     ///< one of the choices in lower case, ' ' for Enter; 0: any other key
  std::string rest{};  ///< rest of a line that arrived at once: "e" and a reason
};

/// Waits for a keypress, without echo; `choices` in lower case. Enters `terminal` and does not
/// leave it; Ctrl-C sends a signal. Returns the token's fault if cancelled.
[[nodiscard]] Result<KeyChoice> read_choice(RawTerminal& terminal, std::string_view choices,
                                            const CancelToken& cancel);

}  // namespace svc::cli
