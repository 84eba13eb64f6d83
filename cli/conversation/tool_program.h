// The user's programs that a model may call: their descriptions, and one call.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/cancel_token.h"
#include "base/result.h"

namespace svc::cli {

struct ToolLimits {
  std::chrono::milliseconds time{30'000};
  std::size_t output = 64U << 10U;  ///< bytes; output beyond that is truncated
};

/// The output of a tool program and how it exited.
struct ToolEnd {
  std::string output{};
  bool cut = false;                   ///< output was truncated
  std::string complaint{};            ///< standard error, up to the limit
  std::vector<std::string> images{};  ///< data: URLs; only of MCP tools
  std::optional<Error> error{};       ///< it could not start, failed or timed out
};

struct ToolProgram {
  std::string name{};
  std::string program{};  ///< a path or a name on PATH; of an MCP tool, its server
  std::string tool{};     ///< {"type":"function","name",…}, as JSON text
  std::string address{};  ///< "server.tool" of an MCP tool; empty for a program
  /// Calls an MCP tool, in its own thread; empty for a program.
  std::function<ToolEnd(const std::string& arguments, const ToolLimits& limits,
                        const CancelToken& cancel)>
      call{};
};

/// Parses "NAME=PROGRAM" or "NAME=PROGRAM,SCHEMA.json" and reads the description: that file, else
/// PROGRAM.json if it exists, else the output of `PROGRAM --schema`. A description is a function
/// object, or only the JSON Schema of its arguments. Fault::Usage if one is invalid. If `described`
/// is false, no program is run, and without a file the tool has only its name.
[[nodiscard]] Result<ToolProgram> read_tool_program(const std::string& flag, bool described = true,
                                                    const CancelToken& cancel = NeverCancelled{});

/// One tool call, run in the background. The program reads the arguments from standard input; its
/// standard output is the result.
class ToolRun {
 public:
  ToolRun(std::string program, std::vector<std::string> arguments, std::string input,
          ToolLimits limits);
  /// Starts the program, or calls the MCP tool.
  ToolRun(const ToolProgram& tool, std::string input, ToolLimits limits);
  ToolRun(const ToolRun&) = delete;
  ToolRun& operator=(const ToolRun&) = delete;
  /// Kills the program, if it is still running, with its child processes.
  ~ToolRun();

  /// Requests cancellation without waiting.
  void ask() noexcept { m_cancel.cancel(); }

  /// Becomes readable when the call has finished.
  [[nodiscard]] int descriptor() const noexcept { return m_over.descriptor(); }
  [[nodiscard]] bool over() const noexcept { return m_is_over; }
  /// Returns the result. Call once, after it has finished.
  [[nodiscard]] ToolEnd take();

 private:
  ToolEnd run(const std::string& program, const std::vector<std::string>& arguments,
              const std::string& input, const ToolLimits& limits);

  CancelSource m_cancel{};
  Event m_over{};
  std::atomic<bool> m_is_over = false;
  ToolEnd m_end{};         ///< owned by the thread until the call has finished
  std::thread m_thread{};  ///< feeds and reads the program; joined by the destructor
};

}  // namespace svc::cli
