// The terminal's modes while a conversation is written on it, and one key as an answer.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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
  char key = '\0';     ///< one of the choices in lower case, ' ' for Enter or space; 0: refused
  std::string rest{};  ///< rest of a line that arrived at once: "e" and a reason
};

/// Decides which keys answer a question. A key counts only with half a second of silence before and
/// after it (or Enter after it), so that text typed while the question appears does not answer it;
/// the words "yes", "no" and "always" count as well. Enter, Escape and Ctrl-D refuse unless they
/// are choices. All other input is text typed ahead.
class AnswerGate {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds k_silence{500};

  /// The question appears `now`; `choices` in lower case.
  AnswerGate(std::string choices, Time now) : m_choices(std::move(choices)), m_last(now) {}

  /// Takes keys that arrived together. Returns an answer, if they complete one.
  [[nodiscard]] std::optional<KeyChoice> type(std::string_view keys, Time now);
  /// Call at deadline(), if nothing was typed until then. Returns the answer, if there is one.
  [[nodiscard]] std::optional<KeyChoice> silence();
  /// When the keys typed last are an answer; nothing if none can be.
  [[nodiscard]] std::optional<Time> deadline() const;
  /// Returns the keys that were not an answer since the last call.
  [[nodiscard]] std::string take_ahead() { return std::exchange(m_ahead, {}); }

 private:
  std::string m_choices;
  Time m_last;
  std::string m_typed{};  ///< after a silence, and so perhaps an answer
  std::string m_ahead{};
};

/// Waits for a keypress, without echo, that answers a question which has just been shown; see
/// AnswerGate. All other input goes to `ahead`. Enters `terminal` and does not leave it; Ctrl-C
/// sends a signal. Returns the token's fault if canceled.
[[nodiscard]] Result<KeyChoice> read_choice(RawTerminal& terminal, std::string_view choices,
                                            const CancelToken& cancel,
                                            const std::function<void(std::string_view)>& ahead);

}  // namespace svc::cli
