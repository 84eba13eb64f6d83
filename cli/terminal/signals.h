// SIGHUP, SIGINT, SIGQUIT and SIGTERM as a CancelToken. A second signal ends the program at once;
// if one process sent both, as `timeout` does, after three seconds.
#pragma once

#include <termios.h>

#include "base/cancel_token.h"

namespace svc::cli {

/// Installs the handlers for the lifetime of the process, ignores SIGPIPE and SIGXFSZ (writing then
/// returns an error instead), and returns the only token that the signals cancel.
[[nodiscard]] const CancelToken& install_signals();

/// While an object exists, the first SIGINT cancels only this token, so that the command ends
/// normally. The second cancels the program's token, the third ends the program at once. Only one
/// at a time.
class FinishOnInterrupt final : public CancelToken {
 public:
  FinishOnInterrupt() noexcept;
  ~FinishOnInterrupt() override;

  [[nodiscard]] std::optional<Fault> requested() const noexcept override;
  [[nodiscard]] int wake_fd() const noexcept override;
};

/// Reports a signal that does not end the program (SIGWINCH, SIGUSR1), while an object exists. Only
/// one object per signal at a time.
class SignalWatch {
 public:
  explicit SignalWatch(int number) noexcept;
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();

  /// Readable after the signal, until take(); or -1.
  [[nodiscard]] int descriptor() const noexcept;
  /// Returns true if the signal arrived since the last call.
  bool take() noexcept;

 private:
  int m_number;
};

/// Sets the terminal on `fd` and the modes to restore if a signal ends the program at once. `modes`
/// must remain valid until the next call; null clears it.
void restore_at_exit(int fd, const termios* modes) noexcept;
/// Restores the modes now, for an unexpected exit.
void restore_terminal() noexcept;

// Messages for an exit by an unexpected exception.

/// Prints one sentence about the current exception to standard error. Does not allocate if memory
/// is exhausted.
void report_unexpected_end() noexcept;

/// Does the same, with exit code 1 instead of an abort, for exceptions that cannot reach main():
/// from other threads and from destructors (the destructor of a JSON document allocates memory).
void install_terminate_handler() noexcept;

}  // namespace svc::cli
