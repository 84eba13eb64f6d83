// The MCP servers of a run: which there are, whether they may be started, and their tools among
// those that a model may call.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "conversation/tool_program.h"
#include "mcp/client.h"
#include "mcp/config.h"
#include "session/session.h"

namespace svc::cli {

/// The servers of --mcp-local and --mcp-config, or else of the setting mcp_config, which are
/// optional; `only` that one of them, if it is given. Usage.
[[nodiscard]] Result<std::vector<mcp::ServerSpec>> read_mcp_servers(Session& session, sv only = {});

class McpServers {
 public:
  /// How long a server may take to start, and to answer what no model asked.
  static constexpr std::chrono::milliseconds k_start_time{30'000};

  explicit McpServers(Session& session);
  McpServers(const McpServers&) = delete;
  McpServers& operator=(const McpServers&) = delete;
  /// Ends them all, at once.
  ~McpServers();

  /// Asks the user about a server that is new here; --yes, and `allowed`, answer for the user.
  /// Usage when the answer is no, or nobody can be asked (not `asks`).
  [[nodiscard]] Result<void> agree(const mcp::ServerSpec& spec, bool allowed, bool asks);

  /// Starts servers side by side and waits until each has named its tools. The error of the first
  /// that failed; of an optional one that is a warning.
  [[nodiscard]] Result<void> start(std::vector<mcp::ServerSpec> specs, const CancelToken& cancel);

  [[nodiscard]] bool empty() const noexcept { return m_clients.empty(); }
  [[nodiscard]] std::span<const std::shared_ptr<mcp::Client>> clients() const noexcept {
    return m_clients;
  }
  [[nodiscard]] mcp::Client* find(std::string_view name) const;

  /// Their tools as functions for a model. A name that is taken (by one of `others`, or by another
  /// server's tool) has the server's in front.
  [[nodiscard]] std::vector<ToolProgram> tools(const std::vector<ToolProgram>& others) const;

  /// Reads the tools again of servers that said theirs have changed, and waits for that; whether
  /// there was one.
  [[nodiscard]] bool refresh(const CancelToken& cancel);
  /// The same beside everything else: true once such a reading has ended.
  [[nodiscard]] bool refresh_beside();

  /// Their progress and log messages, for --verbose.
  void tell_news();

 private:
  struct Task;

  Session& m_session;
  std::vector<std::shared_ptr<mcp::Client>> m_clients{};
  std::vector<std::unique_ptr<Task>> m_readings{};
};

/// What a tool of a server gave, as the end of a run. Images become data: URLs.
[[nodiscard]] ToolEnd tool_end(Result<mcp::ToolResult> result, const ToolLimits& limits);

}  // namespace svc::cli
