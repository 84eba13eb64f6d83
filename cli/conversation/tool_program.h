// Programs of the user that a model may run: what they are for, and one run of one.
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
  std::size_t output = 64U << 10U;  ///< bytes; what comes after is cut off
};

/// The output of a tool program and how it exited.
struct ToolEnd {
  std::string output{};
  bool cut = false;                   ///< there was more
  std::string complaint{};            ///< its standard error, as far as the limit goes
  std::vector<std::string> images{};  ///< data: URLs; only servers' tools give them
  std::optional<Error> error{};       ///< it could not start, failed or took too long
};

struct ToolProgram {
  std::string name{};
  std::string program{};  ///< a path, or a name to be looked up; of a server's tool, its server
  std::string tool{};     ///< {"type":"function","name",…}, as JSON text
  std::string address{};  ///< "server.tool" of a server's tool; empty: a program
  /// Calls the tool of a server, in a thread of its own; empty: a program is run.
  std::function<ToolEnd(const std::string& arguments, const ToolLimits& limits,
                        const CancelToken& cancel)>
      call{};
};

/// Reads "NAME=PROGRAM" or "NAME=PROGRAM,SCHEMA.json", and the program's description: that file,
/// else PROGRAM.json where it is one, else what `PROGRAM --schema` prints. It is a function object,
/// or the JSON Schema of its arguments alone. Usage. Not `described`: no program is run; without a
/// file the tool is its name alone.
[[nodiscard]] Result<ToolProgram> read_tool_program(const std::string& flag, bool described = true,
                                                    const CancelToken& cancel = NeverCancelled{});

/// One run, beside everything else. Its arguments are its standard input, its standard output is
/// the result.
class ToolRun {
 public:
  ToolRun(std::string program, std::vector<std::string> arguments, std::string input,
          ToolLimits limits);
  /// The run of a program, or the call of a server's tool.
  ToolRun(const ToolProgram& tool, std::string input, ToolLimits limits);
  ToolRun(const ToolRun&) = delete;
  ToolRun& operator=(const ToolRun&) = delete;
  /// Ends a program that still runs, with everything that it started.
  ~ToolRun();

  /// Asks it to end; does not wait.
  void ask() noexcept { m_cancel.cancel(); }

  /// Readable once it is over.
  [[nodiscard]] int descriptor() const noexcept { return m_over.descriptor(); }
  [[nodiscard]] bool over() const noexcept { return m_is_over; }
  /// What it gave. Once, when it is over.
  [[nodiscard]] ToolEnd take();

 private:
  ToolEnd run(const std::string& program, const std::vector<std::string>& arguments,
              const std::string& input, const ToolLimits& limits);

  CancelSource m_cancel{};
  Event m_over{};
  std::atomic<bool> m_is_over = false;
  ToolEnd m_end{};         ///< the thread's until it is over
  std::thread m_thread{};  ///< feeds and reads the program; the destructor ends it
};

}  // namespace svc::cli
