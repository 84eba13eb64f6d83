// Messages of JSON-RPC 2.0 as the Model Context Protocol uses them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc::mcp {

/// The revision with a handshake that this program speaks best.
inline constexpr std::string_view k_handshake_version = "2025-11-25";
/// The revision without a handshake: version and capabilities are in every request.
inline constexpr std::string_view k_stateless_version = "2026-07-28";

inline constexpr int k_parse_error = -32700;
inline constexpr int k_invalid_request = -32600;
inline constexpr int k_method_not_found = -32601;
inline constexpr int k_invalid_params = -32602;
inline constexpr int k_internal_error = -32603;
inline constexpr int k_unsupported_version = -32022;
inline constexpr int k_resource_not_found = -32002;  ///< of the revisions with a handshake

/// A longer message is refused: what a peer sends is held in memory.
inline constexpr std::size_t k_most_message = 16U << 20U;

enum class MessageKind : std::uint8_t { Request, Notification, Result, Error };

struct Message {
  MessageKind kind = MessageKind::Notification;
  std::string id{};         ///< JSON text, as it came; empty: none
  std::string method{};     ///< of a request or a notification
  std::string params{};     ///< JSON text; empty: none
  std::string result{};     ///< JSON text of MessageKind::Result
  std::int64_t code = 0;    ///< of MessageKind::Error
  std::string complaint{};  ///< its message
};

/// One message, or several in an array. Network for what is not JSON-RPC; the error's code is the
/// protocol's.
[[nodiscard]] Result<std::vector<Message>> read_messages(std::string_view text);

/// `params` is JSON text, or empty.
[[nodiscard]] std::string request_text(std::string_view id, std::string_view method,
                                       std::string_view params);
[[nodiscard]] std::string notification_text(std::string_view method, std::string_view params);
[[nodiscard]] std::string result_text(std::string_view id, std::string_view result);
/// `data` is JSON text, or empty.
[[nodiscard]] std::string error_text(std::string_view id, int code, std::string_view message,
                                     std::string_view data = {});

/// What a client that offers a server nothing answers to its request.
[[nodiscard]] std::string reply_to(const Message& request);

/// The parameters of the request for news of changed tools.
inline constexpr std::string_view k_tool_changes = R"({"notifications":{"toolsListChanged":true}})";

/// `params` with `meta` and the token as its `_meta`; JSON texts. Empty: there is none.
[[nodiscard]] std::string with_meta(const std::string& params, std::string_view progress_token,
                                    const std::string& meta);

/// What a peer's error answer means here: Service, or NotFound; its number is the code.
[[nodiscard]] Error error_of(const Message& message);

/// Whether the protocol knows this revision and so does this program.
[[nodiscard]] bool is_handshake_version(std::string_view version) noexcept;

}  // namespace svc::mcp
