// SIGHUP, SIGINT, SIGQUIT and SIGTERM as a CancelToken. The second one ends the program at once.
#pragma once

#include <termios.h>

#include "base/cancel_token.h"

namespace svc::cli {

/// Installs the handlers for the life of the process, ignores SIGPIPE and SIGXFSZ (writing then
/// fails with a code instead), and gives the one token that they cancel.
[[nodiscard]] const CancelToken& install_signals();

/// While one lives, the first SIGINT cancels this token alone: the command comes to its end in good
/// order. The second one cancels the program's, the third ends it at once. One at a time.
class FinishOnInterrupt final : public CancelToken {
 public:
  FinishOnInterrupt() noexcept;
  ~FinishOnInterrupt() override;

  [[nodiscard]] std::optional<Fault> requested() const noexcept override;
  [[nodiscard]] int wake_fd() const noexcept override;
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

// What the program says when it ends by an exception that nobody foresaw.

/// One sentence on standard error about the exception that is being handled. Takes no memory when
/// it is about a lack of it.
void report_unexpected_end() noexcept;

/// The same, and exit code 1 instead of an abort, for exceptions that cannot reach main(): those of
/// other threads, and out of destructors (that of a JSON document takes memory).
void install_terminate_handler() noexcept;

}  // namespace svc::cli
