// The program of an MCP server: started without a shell, with everything it starts in a process
// group of its own, and ended with it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/file_descriptor.h"
#include "base/result.h"

namespace svc::mcp {

struct ServerCommand {
  std::vector<std::string> arguments{};  ///< the program first: a path, or a name found in PATH
  std::vector<std::pair<std::string, std::string>> variables{};  ///< beside this program's own
  std::vector<std::string> hidden{};  ///< variables of this program that it does not get: its keys
  std::string folder{};               ///< where it runs; empty: here
};

class ServerProcess {
 public:
  /// Local when it cannot be started.
  [[nodiscard]] static Result<ServerProcess> start(const ServerCommand& command);
  ServerProcess(ServerProcess&& other) noexcept;
  ServerProcess& operator=(ServerProcess&&) = delete;
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  /// Ends it: its input is closed, then the group is asked to end, then killed.
  ~ServerProcess();

  /// None of them blocks.
  [[nodiscard]] FileDescriptor& input() noexcept { return m_input; }
  [[nodiscard]] FileDescriptor& output() noexcept { return m_output; }
  [[nodiscard]] FileDescriptor& error() noexcept { return m_error; }

  /// Closes its input and asks the group to end; does not wait.
  void ask_to_end() noexcept;
  /// "exit code 1", "signal 9 (Killed)", once it has ended; waits for that at most so long.
  [[nodiscard]] std::optional<std::string> end_text(std::chrono::milliseconds most) const;

 private:
  ServerProcess(pid_t pid, FileDescriptor input, FileDescriptor output,
                FileDescriptor error) noexcept;
  [[nodiscard]] bool wait_for_end(std::chrono::milliseconds most) const noexcept;

  pid_t m_pid = -1;
  FileDescriptor m_input;
  FileDescriptor m_output;
  FileDescriptor m_error;
  FileDescriptor m_exit;  ///< readable from its end on, where the system has such a thing
  bool m_asked = false;
};

}  // namespace svc::mcp
