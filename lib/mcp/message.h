// JSON-RPC 2.0 messages as used by the Model Context Protocol.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc::mcp {

/// The preferred revision with a handshake.
inline constexpr std::string_view k_handshake_version = "2025-11-25";
/// The revision without a handshake: every request contains the version and capabilities.
inline constexpr std::string_view k_stateless_version = "2026-07-28";

inline constexpr int k_parse_error = -32700;
inline constexpr int k_invalid_request = -32600;
inline constexpr int k_method_not_found = -32601;
inline constexpr int k_invalid_params = -32602;
inline constexpr int k_internal_error = -32603;
inline constexpr int k_unsupported_version = -32022;
inline constexpr int k_resource_not_found = -32002;  ///< in revisions with a handshake

/// Longer messages are rejected, because messages are held in memory.
inline constexpr std::size_t k_most_message = 16U << 20U;

enum class MessageKind : std::uint8_t { Request, Notification, Result, Error };

struct RpcMessage {
  MessageKind kind = MessageKind::Notification;
  std::string id{};             ///< unparsed JSON text; empty: none
  std::string method{};         ///< of a request or notification
  std::string params{};         ///< JSON text; empty: none
  std::string result{};         ///< JSON text of MessageKind::Result
  std::int64_t code = 0;        ///< of MessageKind::Error
  std::string error_message{};  ///< its message
};

/// Parses one message, or an array of several. Fails with Fault::Network for anything else; the
/// error's code is the JSON-RPC one.
[[nodiscard]] Result<std::vector<RpcMessage>> read_messages(std::string_view text);

/// `params` is JSON text, or empty; json_rpc_request() makes a request.
[[nodiscard]] std::string notification_text(std::string_view method, std::string_view params);
[[nodiscard]] std::string result_text(std::string_view id, std::string_view result);
/// `data` is JSON text, or empty.
[[nodiscard]] std::string error_text(std::string_view id, int code, std::string_view message,
                                     std::string_view data = {});

/// The response of a client without capabilities to a server's request.
[[nodiscard]] std::string reply_to(const RpcMessage& request);

/// The parameters to subscribe to changes of the tools.
inline constexpr std::string_view k_tool_changes = R"({"notifications":{"toolsListChanged":true}})";

/// Returns `params` with `meta` and the progress token as `_meta`, all JSON text. An empty token or
/// meta is omitted.
[[nodiscard]] std::string with_meta(const std::string& params, std::string_view progress_token,
                                    const std::string& meta);

/// Maps an error response to Fault::Service or Fault::NotFound, with its number as the code.
[[nodiscard]] Error error_of(const RpcMessage& message);

/// Whether svc supports this revision, which uses a handshake.
[[nodiscard]] bool is_handshake_version(std::string_view version) noexcept;

}  // namespace svc::mcp
