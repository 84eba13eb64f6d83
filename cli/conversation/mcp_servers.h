// The MCP servers of a run: which ones are used, whether they may be started, and their tools as
// functions for the model.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "conversation/tool_program.h"
#include "mcp/client.h"
#include "mcp/config.h"
#include "session/session.h"

namespace svc::cli {

/// The servers of --mcp-local and --mcp-config; without --mcp-config, the optional servers of the
/// setting mcp_config. `only` selects one of them. Fault::Usage if a flag or the file is invalid.
[[nodiscard]] Result<std::vector<mcp::ServerSpec>> read_mcp_servers(Session& session, sv only = {});

class McpServers {
 public:
  /// Timeout for a server to start, and to reply to requests that no tool call made.
  static constexpr std::chrono::milliseconds k_start_time{30'000};

  explicit McpServers(Session& session);
  McpServers(const McpServers&) = delete;
  McpServers& operator=(const McpServers&) = delete;
  /// Stops all servers at the same time.
  ~McpServers();

  /// Asks the user to confirm a server that is new on this machine, unless --yes or `allowed`.
  /// Usage if the user declines, or if nobody can be asked (`asks` is false).
  [[nodiscard]] Result<void> agree(const mcp::ServerSpec& spec, bool allowed, bool asks);

  /// Starts the servers concurrently and waits until each has listed its tools. Returns the error
  /// of the first that failed; if an optional server fails, prints a warning instead.
  [[nodiscard]] Result<void> start(std::vector<mcp::ServerSpec> specs, const CancelToken& cancel);

  [[nodiscard]] bool empty() const noexcept { return m_clients.empty(); }
  [[nodiscard]] std::span<const std::shared_ptr<mcp::Client>> clients() const noexcept {
    return m_clients;
  }
  [[nodiscard]] mcp::Client* find(std::string_view name) const;

  /// The servers' tools as functions for a model. A tool whose name is taken (by one of `others` or
  /// by another server's tool) is prefixed with its server's name. Those beyond what a request may
  /// have are left out, with a warning.
  [[nodiscard]] std::vector<ToolProgram> tools(const std::vector<ToolProgram>& others);

  /// Lists the tools again of servers that announced a change, and waits. True if any changed.
  [[nodiscard]] bool refresh(const CancelToken& cancel);
  /// Like refresh(), in the background: true once such a listing has finished.
  [[nodiscard]] bool refresh_concurrently();

  /// Prints the servers' progress and log messages (--verbose), and which tools were left out.
  void report_changes();

 private:
  struct Task;

  Session& m_session;
  std::vector<std::shared_ptr<mcp::Client>> m_clients{};
  std::vector<std::unique_ptr<Task>> m_readings{};
  std::size_t m_left_out = 0;  ///< tools that the user was told of
};

/// Converts the result of a server's tool to the end of a tool call. Images become data: URLs.
[[nodiscard]] ToolEnd tool_end(Result<mcp::ToolResult> result, const ToolLimits& limits);

}  // namespace svc::cli
