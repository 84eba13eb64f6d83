// Programs beside the one under test: a server for a case, and whatever a command left behind.
#pragma once

#include <string>

#include <sys/types.h>

#include "base/result.h"
#include "support/case_file.h"

namespace svc::test {

/// A program that runs beside a case, until destroyed (SIGTERM, then SIGKILL).
class Companion {
 public:
  explicit Companion(pid_t pid) noexcept : m_pid(pid) {}
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;
  ~Companion();

  [[nodiscard]] pid_t pid() const noexcept { return m_pid; }

  /// Ends it. Its exit code, or 128 + the signal that ended it.
  int stop();

 private:
  pid_t m_pid;
};

/// Waits until no process but `except` has the setting NAME=VALUE in its environment. False when
/// some were still there after `patience`; they are killed.
[[nodiscard]] bool wait_for_stragglers(const std::string& setting, pid_t except,
                                       Milliseconds patience);

/// Reads a line from `fd`; Local when none came in time or the other end closed first.
[[nodiscard]] Result<std::string> read_line(int fd, Milliseconds limit);

}  // namespace svc::test
