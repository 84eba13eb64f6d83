// Runs programs under test in their own sessions: starts, watches, signals, measures and ends them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "support/case_file.h"

namespace svc::test {

/// Whether the programs (and this one) are built with sanitizers, and so are slower and larger.
[[nodiscard]] bool under_sanitizer() noexcept;

/// How to start a process. The caller owns the descriptors; -1 leaves the stream closed.
struct SpawnPlan {
  std::vector<std::string> argv{};
  std::vector<std::string> env{};  ///< the whole environment, as NAME=VALUE
  std::string directory{};
  int in = -1;
  int out = -1;
  int err = -1;
  int extra = -1;     ///< becomes descriptor 3
  int terminal = -1;  ///< becomes the controlling terminal
};

/// Starts a process in its own session and process group. Local on failure.
[[nodiscard]] Result<pid_t> spawn(const SpawnPlan& plan);

/// Writes a file with mode `rights` that can be run at once. No process is started meanwhile: until
/// its exec it would inherit the descriptor, and a file open for writing cannot be run ("Text file
/// busy"). Local if the file cannot be written.
[[nodiscard]] Result<void> write_program(const std::string& path, const std::string& text,
                                         mode_t rights);

struct CommandPlan {
  std::string command{};  ///< for /bin/sh
  std::vector<std::string> env{};
  std::string directory{};
  CaseInput input = CaseInput::Null;
  std::string input_text{};
  std::optional<CaseTty> tty{};
  std::vector<CaseAction> actions{};
  Milliseconds timeout{20'000};
  std::function<std::size_t()> requests_seen{};  ///< for actions that wait for requests
};

/// The terminal was resized after `at` bytes of output.
struct CommandResize {
  std::size_t at = 0;
  int columns = 0;
  int rows = 0;
};

struct CommandOutcome {
  int exit = 0;    ///< exit code, or 128 + the signal that killed it
  int signal = 0;  ///< the signal that killed it, or 0
  bool timed_out = false;
  bool left_process = false;  ///< a process outlived the command (and was killed)
  std::size_t actions_done = 0;
  std::vector<CommandResize> resizes{};
  std::string out{};  ///< at most k_max_captured bytes; the terminal's output if there is one
  std::string err{};
  Milliseconds wall{0};
  std::uint64_t max_rss = 0;   ///< bytes; of the largest process
  std::string modes_before{};  ///< of the terminal
  std::string modes_after{};
};

inline constexpr std::size_t k_max_captured = 16U << 20U;

/// Runs a command to its end, or kills it at the timeout. Local if it cannot be started.
[[nodiscard]] Result<CommandOutcome> run_command(const CommandPlan& plan);

}  // namespace svc::test
