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

/// Gives keys one by one, echoes nothing, and makes no signals of them, from enter() to leave() or
/// the destructor. What a program that is started meanwhile does to the modes is undone by enter().
class RawTerminal {
 public:
  explicit RawTerminal(int fd) noexcept : m_fd(fd) {}
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  ~RawTerminal() { leave(); }

  /// False when it is not a terminal, or somebody else's at the moment.
  [[nodiscard]] bool enter() noexcept;
  void leave() noexcept;
  /// Whether Ctrl-C is a signal (and Ctrl-Z, Ctrl-\ nothing): while nobody reads keys.
  void signals(bool wanted) noexcept;
  /// As the Ctrl-Z key does elsewhere; returns when the program is in the foreground again.
  void suspend() noexcept;

  [[nodiscard]] int descriptor() const noexcept { return m_fd; }
  [[nodiscard]] TerminalSize size() const noexcept;

 private:
  int m_fd;
  bool m_entered = false;
  bool m_signals = false;
  termios m_before{};
};

/// One key as the answer to a question on a terminal.
struct KeyChoice {
  char key = '\0';     ///< of those that were offered, in lower case, ' ' for Enter; 0: another key
  std::string rest{};  ///< of a line that came with it at once: "e" and a reason
};

/// Waits for a key, which is not echoed; `choices` in lower case. `terminal` is entered, and stays
/// so, with Ctrl-C as a signal. The token's fault once it is cancelled.
[[nodiscard]] Result<KeyChoice> read_choice(RawTerminal& terminal, std::string_view choices,
                                            const CancelToken& cancel);

}  // namespace svc::cli
