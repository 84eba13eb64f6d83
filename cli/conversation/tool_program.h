// The user's programs that a model may call: their descriptions, and one call.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/background.h"
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
  std::string program{};                 ///< a path or a name on PATH; of an MCP tool, its server
  std::string tool{};                    ///< {"type":"function","name",…}, as JSON text
  std::vector<std::string> variables{};  ///< passed to the program even if they are secrets
  std::string address{};                 ///< "server.tool" of an MCP tool; empty for a program
  /// Calls an MCP tool, in its own thread; empty for a program.
  std::function<ToolEnd(const std::string& arguments, const ToolLimits& limits,
                        const CancelToken& cancel)>
      call{};
};

/// Parses "NAME=PROGRAM" or "NAME=PROGRAM,SCHEMA.json" and reads the description: that file, else
/// PROGRAM.json if it exists, else the output of `PROGRAM --schema`. A description is a function
/// object, or only the JSON Schema of its arguments. Fault::Usage if one is invalid. If `described`
/// is false, no program is run, and without a file the tool has only its name. The program gets
/// `variables` of the environment even if they are secrets.
[[nodiscard]] Result<ToolProgram> read_tool_program(const std::string& flag, bool described = true,
                                                    const CancelToken& cancel = NeverCanceled{},
                                                    std::vector<std::string> variables = {});

/// A call of a tool, or of its program.
using ToolRun = Background<ToolEnd>;

/// Runs the tool's program, which reads `input` from standard input; its standard output is the
/// result. Once canceled, kills it with its child processes.
[[nodiscard]] ToolRun::Work program_work(const ToolProgram& tool,
                                         std::vector<std::string> arguments, std::string input,
                                         ToolLimits limits);

/// Runs the tool's program with the arguments `input`, or calls the MCP tool.
[[nodiscard]] ToolRun::Work tool_work(const ToolProgram& tool, std::string input,
                                      ToolLimits limits);

}  // namespace svc::cli
