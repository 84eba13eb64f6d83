// Programs of the user that a model may run: what they are for, and one run of one.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "cancel.h"

namespace svc::cli {

struct ToolProgram {
  std::string name{};
  std::string program{};  ///< a path, or a name to be looked up
  std::string tool{};     ///< {"type":"function","name",…}, as JSON text
};

/// Reads "NAME=PROGRAM" and the program's description: PROGRAM.json where that is a file, else what
/// `PROGRAM --schema` prints. It is a function object, or the JSON Schema of its arguments alone.
/// Usage.
[[nodiscard]] Result<ToolProgram> read_tool_program(const std::string& flag);

/// One run, beside everything else. Its arguments are its standard input, its standard output is
/// the result.
class ToolRun {
 public:
  ToolRun(std::string program, std::vector<std::string> arguments, std::string input,
          std::chrono::milliseconds limit);
  ToolRun(const ToolRun&) = delete;
  ToolRun& operator=(const ToolRun&) = delete;
  /// Ends a program that still runs, with everything that it started.
  ~ToolRun();

  /// Readable once it is over.
  [[nodiscard]] int descriptor() const noexcept { return m_over.descriptor(); }
  [[nodiscard]] bool over() const noexcept { return m_is_over; }
  /// Its output, or why there is none: it could not start, failed, took too long, said too much.
  /// Once, when it is over.
  [[nodiscard]] Result<std::string> take();

 private:
  Result<std::string> run(const std::string& program, const std::vector<std::string>& arguments,
                          const std::string& input, std::chrono::milliseconds limit) const;

  Cancel m_cancel{};
  Event m_over{};
  std::atomic<bool> m_is_over = false;
  Result<std::string> m_result{std::string()};  ///< the thread's until it is over
  std::thread m_thread{};  ///< feeds and reads the program; the destructor ends it
};

}  // namespace svc::cli
