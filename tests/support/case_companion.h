// Programs other than the one under test: a server for a case, and a command's leftover processes.
#pragma once

#include <string>

#include <sys/types.h>

#include "base/result.h"
#include "support/case_file.h"

namespace svc::test {

/// A program that runs alongside a case until destroyed (SIGTERM, then SIGKILL).
class Companion {
 public:
  explicit Companion(pid_t pid) noexcept : m_pid(pid) {}
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;
  ~Companion();

  [[nodiscard]] pid_t pid() const noexcept { return m_pid; }

  /// Stops the program. Returns its exit code, or 128 + the signal that killed it.
  int stop();

 private:
  pid_t m_pid;
};

/// Waits until no process except `except` has `setting` (NAME=VALUE) in its environment. Kills
/// those left after `patience` and returns false.
[[nodiscard]] bool wait_for_stragglers(const std::string& setting, pid_t except,
                                       Milliseconds patience);

/// Reads a line from `fd`. Local if there is none within `limit` or the other end closes first.
[[nodiscard]] Result<std::string> read_line(int fd, Milliseconds limit);

}  // namespace svc::test
