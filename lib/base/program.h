// Starts and runs other programs, without a shell.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/cancel_token.h"
#include "base/file_descriptor.h"
#include "base/platform.h"
#include "base/result.h"

namespace svc {

/// Makes `fd` non-blocking.
void make_nonblocking(int fd);

/// The variables of this program that another one gets. Usual: those that every program needs, such
/// as PATH, HOME and the locale. NoSecrets: all but the keys and secrets of svc.
enum class Inherit : std::uint8_t { Usual, NoSecrets, Everything };

struct SpawnOptions {
  /// The program, as a path or a name to find in PATH, followed by its arguments.
  std::vector<std::string> arguments{};
  std::vector<std::pair<std::string, std::string>> variables{};  ///< added to the inherited
                                                                 ///< environment
  Inherit inherit = Inherit::NoSecrets;
  std::vector<std::string> passed_variables{};  ///< inherited in any case
  std::string directory{};                      ///< working directory; empty: the current one
  /// Descriptors of the standard streams; -1: /dev/null.
  int input = -1;
  int output = 1;
  int error = 2;
  bool own_group = true;  ///< false: shares this program's process group and terminal
  pid_t group = 0;        ///< with own_group: joins this process group instead of a new one
};

/// Starts a program as a shell would: no signal is blocked or ignored, even if svc or its parent
/// ignores it, and only descriptors 0, 1 and 2 are open. Local if it cannot be started.
[[nodiscard]] Result<pid_t> start_program(const SpawnOptions& start);

/// Kills a process group, or hangs up on a single process, once this process has ended, even by
/// SIGKILL. A small program of its own waits for that, as the system's signal for it fires when a
/// thread ends. It leads the group, which it kills with itself: the others are guarded as soon as
/// they belong to it.
class GroupGuard {
 public:
  GroupGuard(GroupGuard&& other) noexcept;
  GroupGuard& operator=(GroupGuard&&) = delete;
  GroupGuard(const GroupGuard&) = delete;
  GroupGuard& operator=(const GroupGuard&) = delete;
  /// From now on the target may outlive this process.
  ~GroupGuard();

  /// Starts a program that is guarded from its first moment: the guard is there before it. Fails
  /// like start_program().
  struct Guarded;
  [[nodiscard]] static Result<Guarded> start(SpawnOptions start);

 private:
  enum class Target : std::uint8_t {
    Group,
    Process,  ///< SIGHUP first, as for a terminal that closed: an editor keeps what was typed
  };
  explicit GroupGuard(Target target);
  void watch(pid_t pid);

  FileDescriptor m_alive{};  ///< closed by the system when this process ends
  pid_t m_pid = -1;
};

struct GroupGuard::Guarded {
  pid_t pid = -1;
  pid_t target = -1;  ///< of kill(): the group, negative, or the process
  GroupGuard guard;
};

/// Where standard output goes. Standard error is inherited, except with All and take_error.
enum class ProgramOutput : std::uint8_t {
  Inherited,
  Error,
  Captured,
  All,  ///< both standard output and standard error are captured, in the order written
};

struct ProgramOptions {
  /// The program, as a path or a name to find in PATH, followed by its arguments.
  std::vector<std::string> arguments{};
  std::optional<std::string> input = "";  ///< standard input; empty: inherited
  std::vector<std::pair<std::string, std::string>> variables{};  ///< added to the inherited
                                                                 ///< environment
  Inherit inherit = Inherit::NoSecrets;
  std::vector<std::string> passed_variables{};  ///< inherited in any case
  std::chrono::milliseconds limit{0};           ///< 0: no limit
  ProgramOutput output = ProgramOutput::Inherited;
  std::function<void(std::string_view bytes)> take{};  ///< receives output with
                                                       ///< ProgramOutput::Captured and All
  /// Receives standard error. Empty: standard error is inherited.
  std::function<void(std::string_view bytes)> take_error{};
  bool own_group = true;  ///< false: shares this program's process group and terminal
};

struct ProgramExit {
  int code = 0;            ///< exit code
  int signal = 0;          ///< signal that terminated the program; 0: none
  bool timed_out = false;  ///< terminated because it exceeded the limit
};

/// "exit code 3", "signal 9 (Killed)", "ended after 30 s".
[[nodiscard]] std::string describe(const ProgramExit& end, std::chrono::milliseconds limit);

/// Runs a program and waits for it. When the limit is exceeded or `cancel` is canceled, the
/// program or its process group gets SIGTERM, and SIGKILL a second later; a cancellation returns
/// its fault. Input that the program does not read is dropped. Local if it cannot be started.
[[nodiscard]] Result<ProgramExit> run_program(const ProgramOptions& run, const CancelToken& cancel);

}  // namespace svc
