// Answers of a tool that is called by JSON-RPC 2.0 over HTTP, as the Streamable HTTP transport of
// MCP sends them: one message as a document, or several as events.
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

/// Finds the answer to one call among the messages that arrive.
class RpcReader {
 public:
  /// `secrets` are kept out of errors.
  RpcReader(std::int64_t id, std::vector<std::string> secrets);

  /// One message, or an array of them. What is not the answer (notifications, requests of the
  /// server, answers to other calls) is passed over. Network for what is not a JSON-RPC message;
  /// the server's own error, by its code, for an error answer.
  [[nodiscard]] Result<void> take(std::string_view message);

  [[nodiscard]] bool answered() const noexcept { return m_result.has_value(); }

  /// The member `result` of the answer, byte for byte. Network when none has arrived.
  [[nodiscard]] Result<std::string> finish();

 private:
  [[nodiscard]] Result<void> take_one(std::string_view message);

  std::int64_t m_id;
  std::vector<std::string> m_secrets;
  std::optional<std::string> m_result{};
  bool m_other_id = false;
};

/// Sends a call that build_request() made and gives the `result` of its answer, in whichever form
/// it comes; does not wait for an event stream to end once the answer is there.
[[nodiscard]] Result<std::string> call_rpc(ApiClient& client, const request::Request& request);

/// What a tool said.
struct ToolResult {
  std::string text{};                 ///< its parts of text, each ended by a line break
  std::vector<std::string> others{};  ///< what else there is, a few words each: "an image"
};

/// Reads the `result` of a call of a tool. The tool's own error (`isError`) is NotFound when it
/// tells of something that is not there, else Service. Network when it is no tool's result.
[[nodiscard]] Result<ToolResult> read_tool_result(std::string_view result,
                                                  const std::vector<std::string>& secrets);

}  // namespace svc
