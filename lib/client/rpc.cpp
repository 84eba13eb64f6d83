#include "client/rpc.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "client/answer_parts.h"
#include "client/api_error.h"
#include "json/document.h"
#include "json/repair.h"
#include "json/slices.h"
#include "json/text.h"
#include "request/body.h"

namespace svc {
namespace {

using nlohmann::json;

/// Tools report a missing page only in words.
bool means_not_found(std::string_view text) {
  constexpr std::array<std::string_view, 6> words = {
      "not found", "no page", "no such", "unknown page", "unknown slug", "does not exist"};
  for (const std::string_view word : words) {
    if (contains_ignore_case(text, word)) return true;
  }
  return false;
}

Error no_message(std::string_view why, std::string_view text,
                 const std::vector<std::string>& secrets) {
  return Error{
      Fault::Network,
      fmt::format("response is not a JSON-RPC message: {}: {}", why, body_excerpt(text, secrets)),
      "Check the documentation URL with `svc doctor`."};
}

/// A protocol-level `error`: -32700 to -32600 reject the message, -32603 is the server's own
/// failure, and -32002 means not found.
Error protocol_error(const json& error, const std::vector<std::string>& secrets) {
  const std::string message = redacted(text_member(error, "message"), secrets, 2000);
  const std::int64_t code = answer_parts::number_of(error, "code");
  const bool absent = code == -32002 || (code == -32602 && means_not_found(message));
  const char* words = code == -32603 ? "the server failed"
                      : absent       ? "not found on the server"
                                     : "the server rejected the call";
  Error out{absent ? Fault::NotFound : Fault::Service,
            message.empty() ? std::string(words) : fmt::format("{}: {}", words, message)};
  if (code != 0) out.code = fmt::format("{}", code);
  return out;
}

bool matches_id(const json& id, std::int64_t wanted) {
  if (id.is_number_integer()) return id.get<std::int64_t>() == wanted;
  return id.is_string() && id.get_ref<const std::string&>() == fmt::format("{}", wanted);
}

/// Returned by a sink to end a stream early, once it has the result.
Error enough() {
  return Error{Fault::Unexpected, "enough"};
}

}  // namespace

RpcReader::RpcReader(std::int64_t id, std::vector<std::string> secrets)
    : m_id(id), m_secrets(std::move(secrets)) {}

Result<void> RpcReader::take(std::string_view message) {
  std::string repaired;
  if (first_invalid_utf8(message)) {
    repaired = repair_json(message);
    message = repaired;
  }
  if (const auto fault = check_json(message)) {
    return no_message(describe(*fault), message, m_secrets);
  }
  if (!trim(message).starts_with('[')) return take_one(message);
  for (const std::string_view one : json_elements(message)) SVC_CHECK(take_one(one));
  return {};
}

Result<void> RpcReader::take_one(std::string_view message) {
  if (m_result) return {};
  const json parsed = parse_reply(message);
  if (!parsed.is_object()) return no_message("it is not an object", message, m_secrets);
  // Requests and notifications from the server have a method.
  if (parsed.contains("method")) return {};
  const json& id = member(parsed, "id");
  const json& error = member(parsed, "error");
  // An error without an ID refers to an unreadable message, which was ours.
  if (error.is_object() && (id.is_null() || matches_id(id, m_id))) {
    return protocol_error(error, m_secrets);
  }
  if (!matches_id(id, m_id)) {
    if (id.is_null()) return no_message("it has neither id nor method", message, m_secrets);
    m_other_id = true;
    return {};
  }
  const auto result = json_member(message, "result");
  if (!result) return no_message("it has neither result nor error", message, m_secrets);
  m_result = std::string(*result);
  return {};
}

Result<std::string> RpcReader::finish() {
  if (m_result) return *std::move(m_result);
  return Error{Fault::Network,
               m_other_id ? "the server responded to a different call"
                          : "the stream ended without a response to the call",
               "Try again; `svc doctor` checks the URL."};
}

Result<std::string> call_rpc(ApiClient& client, const request::Request& request) {
  RpcReader reader(request::k_rpc_id, client.policy().secrets);
  const auto reply =
      client.stream(request,
                    [&reader](std::string_view data) -> Result<void> {
                      if (trim(data).empty()) return {};
                      SVC_CHECK(reader.take(data));
                      return reader.answered() ? Result<void>(enough()) : Result<void>();
                    },
                    {});
  if (!reply && !reader.answered()) return reply.error();
  if (reply && !reply->streamed) {
    if (trim(reply->body).empty()) {
      return Error{Fault::Network,
                   fmt::format("the server accepted the call (HTTP {}) but sent no response",
                               reply->head.status)};
    }
    SVC_CHECK(reader.take(reply->body));
  }
  return reader.finish();
}

Result<ToolResult> read_tool_result(std::string_view result,
                                    const std::vector<std::string>& secrets) {
  const json document = parse_reply(result);
  const json& content = member(document, "content");
  if (!content.is_array()) {
    if (!member(document, "structuredContent").is_null())
      return ToolResult{{}, {"structured data"}};
    return Error{Fault::Network, "not a tool result: response has no content"};
  }
  ToolResult out;
  for (const json& part : content) {
    const std::string type = text_member(part, "type");
    const json& resource = member(part, "resource");
    std::string text = text_member(type == "resource" ? resource : part, "text");
    if (type == "resource_link") text = text_member(part, "uri");
    if (text.empty() && type != "text") {
      out.others.push_back(type.empty() ? "a part without a type"
                                        : fmt::format("a part of type {}", type));
      continue;
    }
    out.text += text;
    if (!text.ends_with('\n')) out.text += '\n';
  }
  if (member(document, "isError") != json(true)) return out;
  const std::string message = redacted(out.text, secrets, 2000);
  const bool absent = means_not_found(message);
  return Error{absent ? Fault::NotFound : Fault::Service,
               message.empty() ? std::string("the tool failed without a reason")
                               : fmt::format("the tool failed: {}", message),
               absent ? "`svc docs list` lists the pages." : ""};
}

}  // namespace svc
