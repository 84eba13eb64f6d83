// Programs under test: started in a session of their own, watched, signalled, measured, ended.
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

/// The programs (and this one) are built with sanitizers: slower, and larger.
[[nodiscard]] bool under_sanitizer() noexcept;

/// What a new process gets. Descriptors are the caller's; -1 leaves the stream closed.
struct SpawnPlan {
  std::vector<std::string> argv{};
  std::vector<std::string> env{};  ///< all of it, as NAME=VALUE
  std::string folder{};
  int in = -1;
  int out = -1;
  int err = -1;
  int extra = -1;     ///< becomes descriptor 3
  int terminal = -1;  ///< becomes the controlling terminal
};

/// Starts it, in a session and process group of its own. Local when that fails.
[[nodiscard]] Result<pid_t> spawn(const SpawnPlan& plan);

/// Writes a file of these rights that can be run at once. A process that another thread starts
/// meanwhile would have the open file too, until it becomes another program, and nothing can be run
/// that somebody has open for writing ("Text file busy"): none is started meanwhile. Local when it
/// cannot be written.
[[nodiscard]] Result<void> write_program(const std::string& path, const std::string& text,
                                         mode_t rights);

struct CommandPlan {
  std::string command{};  ///< for /bin/sh
  std::vector<std::string> env{};
  std::string folder{};
  CaseInput input = CaseInput::Null;
  std::string input_text{};
  std::optional<CaseTty> tty{};
  std::vector<CaseAction> actions{};
  Milliseconds timeout{20'000};
  std::function<std::size_t()> requests_seen{};  ///< for actions that wait for requests
};

/// The terminal got another size when so many bytes were written.
struct CommandResize {
  std::size_t at = 0;
  int columns = 0;
  int rows = 0;
};

struct CommandOutcome {
  int exit = 0;    ///< 128 + the signal when one ended it
  int signal = 0;  ///< the signal that ended it, or 0
  bool timed_out = false;
  bool left_process = false;  ///< something went on running (it was killed)
  std::size_t actions_done = 0;
  std::vector<CommandResize> resizes{};
  std::string out{};  ///< at most k_max_captured bytes; the terminal's bytes when there is one
  std::string err{};
  Milliseconds wall{0};
  std::uint64_t max_rss = 0;   ///< bytes, of the largest process
  std::string modes_before{};  ///< of the terminal
  std::string modes_after{};
};

inline constexpr std::size_t k_max_captured = 16U << 20U;

/// Runs a command to its end, or kills it at the timeout. Local when it cannot be started.
[[nodiscard]] Result<CommandOutcome> run_command(const CommandPlan& plan);

}  // namespace svc::test
