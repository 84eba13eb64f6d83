// A shell command with everything it starts, as one process group. Not part of the public
// interface.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>
#include <termios.h>

#include "base/cancel_token.h"
#include "base/file_descriptor.h"
#include "base/result.h"

namespace svc {

/// The terminal of this process, lent to another process group as a shell lends it to a job.
class TerminalLoan {
 public:
  TerminalLoan();
  TerminalLoan(TerminalLoan&& other) noexcept;
  TerminalLoan& operator=(TerminalLoan&&) = delete;
  TerminalLoan(const TerminalLoan&) = delete;
  TerminalLoan& operator=(const TerminalLoan&) = delete;
  ~TerminalLoan() { take_back(); }

  /// There is a terminal that might be asked for.
  [[nodiscard]] bool exists() const noexcept { return m_terminal.is_open(); }
  /// False when it is not ours to lend: this program runs in the background.
  [[nodiscard]] bool lend(pid_t group) noexcept;
  /// Ours again, with the modes that it had, whatever became of the borrower.
  void take_back() noexcept;
  /// The same, but the borrower finds its own modes when it is lent to it again: it may have turned
  /// the echo off.
  void interrupt() noexcept;

 private:
  FileDescriptor m_terminal;
  termios m_modes{};
  std::optional<termios> m_theirs{};
  bool m_lent = false;
};

/// A command that runs through /bin/sh with no input. It has a process group of its own, so that
/// all of it can be ended, and gets the terminal as soon as it reads from it: to ask for a
/// passphrase. Destroyed before its end it is ended, with everything of its group: asked to, and
/// killed a tenth of a second later.
class CommandGroup {
 public:
  /// `name` is the subject of the error. Local when it cannot start.
  [[nodiscard]] static Result<CommandGroup> start(std::string_view name, std::string command);
  CommandGroup(CommandGroup&& other) noexcept;
  CommandGroup& operator=(CommandGroup&&) = delete;
  CommandGroup(const CommandGroup&) = delete;
  CommandGroup& operator=(const CommandGroup&) = delete;
  ~CommandGroup();

  /// What became of it since the last look: its status of waitpid(2) once it has ended. Lends the
  /// terminal when it waits for it; Auth when it waits for one that this program does not have.
  [[nodiscard]] Result<std::optional<int>> look(std::string_view name);

  /// Its standard output, which does not block; -1 once closed.
  [[nodiscard]] int output() const noexcept { return m_output.get(); }
  void close_output() noexcept { m_output.reset(); }

  /// Waits until there is output or an end, `until` has passed or `cancel` asks; only a moment
  /// where the system tells of a change in no other way.
  void wait(std::chrono::steady_clock::time_point until, const CancelToken& cancel) const;

 private:
  CommandGroup(pid_t pid, FileDescriptor output) noexcept;
  [[nodiscard]] Result<void> stopped_by(std::string_view name, int signal);
  void end() noexcept;

  pid_t m_pid = -1;
  FileDescriptor m_output;
  FileDescriptor m_exit;  ///< readable from its end on, where the system has such a thing
  TerminalLoan m_terminal{};
};

}  // namespace svc
