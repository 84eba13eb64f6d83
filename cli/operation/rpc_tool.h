// Tools called by JSON-RPC 2.0 over HTTP, as in MCP's Streamable HTTP transport: the response is
// one message as a document, or several as events.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/api_client.h"
#include "mcp/client.h"
#include "session/session.h"

namespace svc::cli {

/// Finds the response to our request among the received messages.
class RpcReader {
 public:
  /// `secrets` are removed from errors.
  explicit RpcReader(std::vector<std::string> secrets) : m_secrets(std::move(secrets)) {}

  /// Reads one message or an array of messages. Notifications, requests from the server and
  /// responses to other requests are ignored. Network if it is not a JSON-RPC message; the server's
  /// own error, classified by its code, for an error response.
  [[nodiscard]] Result<void> feed(std::string_view text);

  [[nodiscard]] bool answered() const noexcept { return m_result.has_value(); }

  /// The response's field `result`, byte for byte. Network if no response has arrived.
  [[nodiscard]] Result<std::string> finish();

 private:
  std::vector<std::string> m_secrets;
  std::optional<std::string> m_result{};
  bool m_other_id = false;
};

/// Parses the `result` of a tool call. The tool's own error is NotFound if it reports something
/// missing, else Service. Network if `result` is not a tool result.
[[nodiscard]] Result<mcp::ToolResult> read_tool_answer(std::string_view result,
                                                       std::span<const std::string> secrets);

/// Calls the operation's tool and prints its output.
[[nodiscard]] Result<void> run_tool(Session& session, ApiClient& client,
                                    const request::Request& request);

/// Says which parts of a tool's result text output omits.
void note_media(Session& session, std::span<const mcp::MediaPart> parts);

}  // namespace svc::cli
