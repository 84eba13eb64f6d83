// Another program that is run to its end: no shell in between.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cancel_token.h"
#include "base/result.h"

namespace svc {

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
  std::string input{};                                           ///< its standard input
  std::vector<std::pair<std::string, std::string>> variables{};  ///< beside this program's own
  std::chrono::milliseconds limit{0};                            ///< 0: as long as it likes
  ProgramOutput output = ProgramOutput::Same;
  std::function<void(std::string_view bytes)> take{};  ///< of ProgramOutput::Taken and All
  /// Of its standard error. Empty: that is this program's.
  std::function<void(std::string_view bytes)> take_error{};
};

struct ProgramEnd {
  int code = 0;            ///< its exit code
  int signal = 0;          ///< that ended it; 0: none
  bool timed_out = false;  ///< it was ended because of the limit
};

/// "exit code 3", "signal 9 (Killed)", "ended after 30 s".
[[nodiscard]] std::string describe(const ProgramEnd& end, std::chrono::milliseconds limit);

/// Runs it and waits. It has a process group of its own, which is asked to end and killed a second
/// later when the limit is over or `stop` asks: then the stop's fault. Input that it does not read
/// is dropped. Local when it cannot be started.
[[nodiscard]] Result<ProgramEnd> run_program(const ProgramRun& run, const CancelToken& cancel);

}  // namespace svc
