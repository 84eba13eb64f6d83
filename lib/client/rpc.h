// Responses of a tool called by JSON-RPC 2.0 over HTTP, in the format of MCP's Streamable HTTP
// transport: one message as a document, or several as events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/api_client.h"
#include "request/inputs.h"

namespace svc {

/// Finds the response to one request among the received messages.
class RpcReader {
 public:
  /// `secrets` are removed from errors.
  RpcReader(std::int64_t id, std::vector<std::string> secrets);

  /// Reads one message or an array of messages. Notifications, requests from the server and
  /// responses to other requests are ignored. Network if it is not a JSON-RPC message; the server's
  /// own error, classified by its code, for an error response.
  [[nodiscard]] Result<void> take(std::string_view message);

  [[nodiscard]] bool answered() const noexcept { return m_result.has_value(); }

  /// The response's field `result`, byte for byte. Network if no response has arrived.
  [[nodiscard]] Result<std::string> finish();

 private:
  [[nodiscard]] Result<void> take_one(std::string_view message);

  std::int64_t m_id;
  std::vector<std::string> m_secrets;
  std::optional<std::string> m_result{};
  bool m_other_id = false;
};

/// Sends a request from build_request() and returns the `result` of its response, from a document
/// or an event stream; does not wait for the stream to end after that.
[[nodiscard]] Result<std::string> call_rpc(ApiClient& client, const request::Request& request);

/// The output of a tool.
struct ToolResult {
  std::string text{};                 ///< its text parts, each followed by a line break
  std::vector<std::string> others{};  ///< its other parts, described in a few words: "an image"
};

/// Parses the `result` of a tool call. The tool's own error (`isError`) is NotFound if it reports
/// something missing, else Service. Network if `result` is not a tool result.
[[nodiscard]] Result<ToolResult> read_tool_result(std::string_view result,
                                                  const std::vector<std::string>& secrets);

}  // namespace svc
