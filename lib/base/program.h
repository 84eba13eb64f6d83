// Other programs: the one way to start them, and to run one to its end. No shell in between.
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
#include "base/result.h"

namespace svc {

struct Pipe {
  FileDescriptor read{};
  FileDescriptor write{};
};

/// Both ends are closed when a program starts. Local when the system has no pipe left.
[[nodiscard]] Result<Pipe> make_pipe();
/// Reads and writes of `fd` return at once from now on.
void make_nonblocking(int fd);

struct ProgramStart {
  /// The program first: a path, or a name that is looked for in PATH.
  std::vector<std::string> arguments{};
  std::vector<std::pair<std::string, std::string>> variables{};  ///< beside this program's own
  std::vector<std::string> hidden{};  ///< this program's variables that it does not get
  std::string folder{};               ///< where it runs; empty: here
  /// Its streams; -1: /dev/null.
  int input = -1;
  int output = 1;
  int error = 2;
  bool own_group = true;  ///< else it shares this program's process group, and so the terminal
};

/// Starts it as a shell would: no signal is blocked, none is ignored that svc or its parent may
/// ignore, and no descriptor is open but 0, 1 and 2. Local when it cannot be started.
[[nodiscard]] Result<pid_t> start_program(const ProgramStart& start);

/// Where its standard output goes. Its standard error is this program's, but for All and
/// take_error.
enum class ProgramOutput : std::uint8_t {
  Same,
  Error,
  Taken,
  All,  ///< taken, and its standard error with it, as they were written
};

struct ProgramRun {
  /// The program first: a path, or a name that is looked for in PATH.
  std::vector<std::string> arguments{};
  std::optional<std::string> input = "";  ///< its standard input; nothing: this program's
  std::vector<std::pair<std::string, std::string>> variables{};  ///< beside this program's own
  std::chrono::milliseconds limit{0};                            ///< 0: as long as it likes
  ProgramOutput output = ProgramOutput::Same;
  std::function<void(std::string_view bytes)> take{};  ///< of ProgramOutput::Taken and All
  /// Of its standard error. Empty: that is this program's.
  std::function<void(std::string_view bytes)> take_error{};
  bool own_group = true;  ///< else it shares this program's process group, and so the terminal
};

struct ProgramEnd {
  int code = 0;            ///< its exit code
  int signal = 0;          ///< that ended it; 0: none
  bool timed_out = false;  ///< it was ended because of the limit
};

/// "exit code 3", "signal 9 (Killed)", "ended after 30 s".
[[nodiscard]] std::string describe(const ProgramEnd& end, std::chrono::milliseconds limit);

/// Runs it and waits. It, or the process group that it has of its own, is asked to end and killed a
/// second later when the limit is over or `cancel` asks: then that fault. Input that it does not
/// read is dropped. Local when it cannot be started.
[[nodiscard]] Result<ProgramEnd> run_program(const ProgramRun& run, const CancelToken& cancel);

}  // namespace svc
