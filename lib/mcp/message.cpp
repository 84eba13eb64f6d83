#include "mcp/message.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/document.h"
#include "json/repair.h"
#include "json/slices.h"
#include "json/text.h"

namespace svc::mcp {
namespace {

Error not_a_message(int code, const std::string& why, std::string_view text) {
  Error error{Fault::Network, fmt::format("not a JSON-RPC message: {}: '{}'", why, shown(text))};
  error.code = fmt::format("{}", code);
  return error;
}

/// IDs are numbers or strings; null means none, in errors about unreadable messages.
bool is_id(std::string_view slice) {
  return slice == "null" || slice.starts_with('"') || slice.starts_with('-') ||
         (!slice.empty() && slice.front() >= '0' && slice.front() <= '9');
}

Result<RpcMessage> read_one(std::string_view text) {
  if (!trim(text).starts_with('{')) {
    return not_a_message(k_invalid_request, "must be an object", text);
  }
  constexpr std::array<std::string_view, 5> k_names = {"id", "method", "params", "result", "error"};
  const auto found = json_pick(text, k_names);
  RpcMessage message;
  if (found[0]) {
    if (!is_id(*found[0]))
      return not_a_message(k_invalid_request, "id must be a number or a string", text);
    message.id = *found[0];
  }
  if (found[2]) message.params = *found[2];
  if (found[1]) {
    message.method = json_string(found[1]);
    if (message.method.empty())
      return not_a_message(k_invalid_request, "method must be a string", text);
    if (message.id == "null") return not_a_message(k_invalid_request, "id must not be null", text);
    message.kind = message.id.empty() ? MessageKind::Notification : MessageKind::Request;
    return message;
  }
  if (found[4] && found[4]->starts_with('{')) {
    message.kind = MessageKind::Error;
    const nlohmann::json error = parse_reply(*found[4]);
    message.error_message = text_member(error, "message");
    const nlohmann::json& code = member(error, "code");
    if (code.is_number_integer()) message.code = code.get<std::int64_t>();
    return message;
  }
  if (!found[3] || message.id.empty()) {
    return not_a_message(k_invalid_request, "neither method nor result nor error", text);
  }
  message.kind = MessageKind::Result;
  message.result = *found[3];
  return message;
}

}  // namespace

Result<std::vector<RpcMessage>> read_messages(std::string_view text) {
  std::string repaired;
  if (first_invalid_utf8(text)) {
    repaired = repair_json(text);
    text = repaired;
  }
  if (const auto fault = check_json(text))
    return not_a_message(k_parse_error, describe(*fault), text);
  std::vector<RpcMessage> messages;
  if (!trim(text).starts_with('[')) {
    SVC_TRY(one, read_one(text));
    messages.push_back(std::move(one));
    return messages;
  }
  for (const std::string_view element : json_elements(text)) {
    SVC_TRY(one, read_one(element));
    messages.push_back(std::move(one));
  }
  return messages;
}

std::string notification_text(std::string_view method, std::string_view params) {
  return fmt::format(R"({{"jsonrpc":"2.0","method":{}{}{}}})", json_quote(method),
                     params.empty() ? "" : ",\"params\":", params);
}

std::string result_text(std::string_view id, std::string_view result) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{}}})", id, result);
}

std::string error_text(std::string_view id, int code, std::string_view message,
                       std::string_view data) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"error":{{"code":{},"message":{}{}{}}}}})",
                     id.empty() ? "null" : id, code, json_quote(replace_invalid_utf8(message)),
                     data.empty() ? "" : ",\"data\":", data);
}

std::string reply_to(const RpcMessage& request) {
  if (request.method == "ping") return result_text(request.id, "{}");
  return error_text(request.id, k_method_not_found,
                    "this client does not support requests from servers");
}

std::string with_meta(const std::string& params, std::string_view progress_token,
                      const std::string& meta) {
  if (progress_token.empty() && meta.empty()) return params;
  OrderedJson object = params.empty() ? OrderedJson::object() : parse_reply_in_order(params);
  if (!object.is_object()) return params;
  OrderedJson& all = object["_meta"];
  if (!all.is_object()) all = OrderedJson::object();
  if (!progress_token.empty()) all["progressToken"] = parse_reply_in_order(progress_token);
  if (!meta.empty()) all.update(parse_reply_in_order(meta));
  return compact_json(object);
}

Error error_of(const RpcMessage& message) {
  Error error{message.code == k_resource_not_found ? Fault::NotFound : Fault::Service,
              message.error_message.empty() ? std::string("the MCP server refused the request")
                                            : message.error_message};
  if (message.code != 0) error.code = fmt::format("{}", message.code);
  error.states_code = contains_word(message.error_message, error.code);
  return error;
}

bool is_handshake_version(std::string_view version) noexcept {
  constexpr std::array<std::string_view, 4> k_known = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                       "2024-11-05"};
  return std::find(k_known.begin(), k_known.end(), version) != k_known.end();
}

}  // namespace svc::mcp
