// The channel to an MCP server that runs as a program on this machine: one message per line on its
// standard input and output.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/cancel_token.h"
#include "base/file_descriptor.h"
#include "base/program.h"
#include "base/result.h"
#include "mcp/channel.h"
#include "mcp/message.h"

namespace svc::mcp {

/// The program of an MCP server. It is started without a shell, in its own process group, which is
/// terminated with it.
struct ServerCommand {
  std::vector<std::string> arguments{};  ///< program first: a path, or a name found in PATH
  std::vector<std::pair<std::string, std::string>> variables{};  ///< besides the usual ones
  std::string directory{};  ///< working directory; empty: the current one
};

/// The program of an MCP server: started without a shell, with everything it starts in a process
/// group of its own, and ended with it.
class ServerProcess {
 public:
  /// Fails with Fault::Local if it cannot be started.
  [[nodiscard]] static Result<ServerProcess> start(const ServerCommand& command);
  ServerProcess(ServerProcess&& other) noexcept;
  ServerProcess& operator=(ServerProcess&&) = delete;
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  /// Ends the program: closes its input, then terminates the group, then kills it.
  ~ServerProcess();

  /// Non-blocking.
  [[nodiscard]] FileDescriptor& input() noexcept { return m_input; }
  [[nodiscard]] FileDescriptor& output() noexcept { return m_output; }
  [[nodiscard]] FileDescriptor& error() noexcept { return m_error; }

  /// Closes its input and asks the group to exit; does not wait.
  void request_exit() noexcept;
  /// "exit code 1" or "signal 9 (Killed)" once it has exited; waits for at most `most`.
  [[nodiscard]] std::optional<std::string> describe_exit(std::chrono::milliseconds most) const;

 private:
  ServerProcess(GroupGuard::Guarded program, FileDescriptor input, FileDescriptor output,
                FileDescriptor error);
  [[nodiscard]] bool wait_for_exit(std::chrono::milliseconds most) const noexcept;

  pid_t m_pid = -1;
  pid_t m_target = -1;  ///< the process group, negative
  FileDescriptor m_input;
  FileDescriptor m_output;
  FileDescriptor m_error;
  FileDescriptor m_exit;  ///< readable once it has exited; not available on every system
  bool m_exit_requested = false;
  GroupGuard m_guard;
};

/// One thread reads and writes, so that a server that does not read blocks no caller. The server's
/// output is limited: messages to k_most_message, output between two responses to a fixed size; of
/// its standard error only the end is retained.
class StdioChannel final : public Channel {
 public:
  [[nodiscard]] static Result<std::unique_ptr<StdioChannel>> start(const ServerCommand& command,
                                                                   OnNotification on_notification);
  ~StdioChannel() override;

  [[nodiscard]] Result<std::string> request(std::string_view method, std::string params,
                                            const CallContext& context,
                                            const std::vector<Header>& headers) override;
  [[nodiscard]] Result<void> notify(std::string_view method, std::string_view params) override;
  void adopt_protocol(NegotiatedProtocol protocol) override;
  [[nodiscard]] bool is_closed() const override;
  void request_exit() noexcept override;
  [[nodiscard]] std::string stderr_output() const override;

 private:
  /// A caller waiting for a response.
  struct Waiter {
    Event done{};
    std::optional<Result<std::string>> answer{};
  };

  StdioChannel(ServerProcess process, OnNotification on_notification);
  void work();
  void wait();
  void write_some();
  void read_output();
  void read_error();
  void take_bytes(std::string_view bytes);
  void receive_line(std::string_view line);
  void take_stray_line(std::string_view line);
  void receive(RpcMessage message);
  void answer(const RpcMessage& message);
  void send(std::string line);
  [[nodiscard]] std::size_t unread_bytes() const;
  [[nodiscard]] bool is_stateless() const;
  /// Call when no more responses can arrive: every pending request fails with `why`.
  void fail(const std::string& why);

  ServerProcess m_process;
  OnNotification m_on_notification;
  Event m_changed{};
  std::string m_line{};                 ///< the current, incomplete line of output
  std::size_t m_unsolicited_bytes = 0;  ///< bytes of messages since the last response
  std::string m_first_stray_line{};     ///< first line of output that is not a message
  std::size_t m_stray_bytes = 0;        ///< total bytes of such output

  mutable std::mutex m_mutex{};  ///< guards everything below
  std::string m_outbox{};
  std::size_t m_written = 0;
  std::map<std::int64_t, std::shared_ptr<Waiter>> m_waiting{};
  std::int64_t m_last_id = 0;
  std::string m_stderr{};
  std::string m_meta{};
  std::optional<Error> m_failure{};
  bool m_closing = false;

  std::thread m_thread{};
};

}  // namespace svc::mcp
