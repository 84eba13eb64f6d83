// SIGHUP, SIGINT, SIGQUIT and SIGTERM as a Stop. The second one ends the program at once.
#pragma once

#include <termios.h>

#include "base/cancel_token.h"

namespace svc::cli {

/// Installs the handlers for the life of the process, ignores SIGPIPE and SIGXFSZ (writing then
/// fails with a code instead), and gives the one Stop that they feed.
[[nodiscard]] const CancelToken& install_signals();

/// While one lives, the first SIGINT asks the command to come to its end in good order: it is no
/// Stop. The second one is, and the third ends the program at once. One at a time.
class FinishOnInterrupt {
 public:
  FinishOnInterrupt() noexcept;
  FinishOnInterrupt(const FinishOnInterrupt&) = delete;
  FinishOnInterrupt& operator=(const FinishOnInterrupt&) = delete;
  ~FinishOnInterrupt();

  [[nodiscard]] bool asked() const noexcept;
  /// Readable from the moment of the asking on, or -1.
  [[nodiscard]] int descriptor() const noexcept;
};

/// Tells when a signal came that asks for no end (SIGWINCH, SIGUSR1), while one lives. One at a
/// time for each.
class SignalWatch {
 public:
  explicit SignalWatch(int number) noexcept;
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();

  /// Readable once it came, until take(); or -1.
  [[nodiscard]] int descriptor() const noexcept;
  /// True when it came since the last time.
  bool take() noexcept;

 private:
  int m_number;
};

/// What a signal that ends the program at once does first: gives the terminal on `fd` its modes
/// back. They must outlive the next call; null takes it back.
void restore_at_exit(int fd, const termios* modes) noexcept;
/// Does that now, for an end that nobody foresaw.
void restore_terminal() noexcept;

}  // namespace svc::cli
