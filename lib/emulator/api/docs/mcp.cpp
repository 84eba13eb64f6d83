// JSON-RPC 2.0 over Streamable HTTP, one message per request.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/docs/routes.h"
#include "emulator/api/docs/tools.h"
#include "emulator/handler/address.h"
#include "emulator/json/json_answer.h"
#include "json/text.h"

namespace svc::emulator {
namespace {

using text::Json;

constexpr sv k_name = "svc-docs-mcp";
constexpr sv k_version = "1.0.0";
constexpr std::array<sv, 3> k_protocols = {"2025-06-18", "2025-03-26", "2024-11-05"};

// JSON-RPC 2.0, section 5.1
constexpr int k_parse_error = -32700;
constexpr int k_invalid_request = -32600;
constexpr int k_unknown_method = -32601;
constexpr int k_invalid_params = -32602;

bool knows_protocol(sv version) {
  return std::ranges::find(k_protocols, version) != k_protocols.end();
}

enum class Form : std::uint8_t { Document, Events, Neither };

// Which of both forms the client takes; of two, the one that it names first.
Form wanted_form(const Call& call) {
  const std::string accept = to_lower(call.header("Accept").value_or("*/*"));
  const auto json =
      std::min({accept.find("application/json"), accept.find("application/*"), accept.find("*/*")});
  const auto events = std::min(accept.find("text/event-stream"), accept.find("text/*"));
  if (json == std::string::npos && events == std::string::npos) return Form::Neither;
  return json < events ? Form::Document : Form::Events;
}

Answer message_answer(const Json& message, Form form, int status = 200) {
  Answer answer;
  answer.status = status;
  if (form == Form::Events) {
    answer.content_type = "text/event-stream";
    answer.headers.push_back({"Cache-Control", "no-cache"});
    answer.body = "event: message\ndata: " + text::dump(message) + "\n\n";
  } else {
    answer.body = text::dump(message);
  }
  return answer;
}

Json error_message(const Json& id, int code, std::string_view sentence) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", sentence}}}};
}

Json result_message(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json initialize_result(const Json& params) {
  const std::string wish = text::text_of(params, "protocolVersion");
  return {{"protocolVersion", knows_protocol(wish) ? sv(wish) : k_protocols.front()},
          {"capabilities", {{"tools", Json::object()}}},
          {"serverInfo", {{"name", k_name}, {"version", k_version}}}};
}

Json answer_request(const Json& request) {
  const Json& id = request["id"];
  const std::string method = text::text_of(request, "method");
  const Json* given = text::member(request, "params");
  const Json params = given == nullptr ? Json::object() : *given;
  if (!params.is_object()) return error_message(id, k_invalid_params, "params must be an object");
  if (method == "initialize") return result_message(id, initialize_result(params));
  if (method == "ping") return result_message(id, Json::object());
  if (method == "tools/list") return result_message(id, Json{{"tools", docs::tool_list()}});
  if (method == "tools/call") {
    std::string fault;
    auto result = docs::call_tool(params, fault);
    if (!result) return error_message(id, k_invalid_params, fault);
    return result_message(id, *std::move(result));
  }
  return error_message(id, k_unknown_method,
                       fmt::format("Method not found: {}", excerpt(method, 80)));
}

bool is_id(const Json& id) {
  return id.is_string() || id.is_number();
}

// What a message that gets no answer of its own gets.
Answer accepted() {
  Answer answer;
  answer.status = 202;
  answer.content_type.clear();
  return answer;
}

Answer take_message(const Call& call) {
  const Form form = wanted_form(call);
  if (form == Form::Neither) {
    return message_answer(error_message(nullptr, k_invalid_request,
                                        "Accept must name application/json or text/event-stream"),
                          Form::Document, 406);
  }
  const auto version = call.header("MCP-Protocol-Version");
  if (version && !knows_protocol(*version)) {
    return message_answer(error_message(nullptr, k_invalid_request, "Unsupported protocol version"),
                          Form::Document, 400);
  }
  if (check_json(call.body)) {
    return message_answer(error_message(nullptr, k_parse_error, "Parse error"), Form::Document,
                          400);
  }
  const Json message = text::parse_json(call.body);
  if (!message.is_object() || text::text_of(message, "jsonrpc") != "2.0") {
    return message_answer(error_message(nullptr, k_invalid_request, "Invalid Request"),
                          Form::Document, 400);
  }
  // Notifications have no id; answers to questions that were never asked have no method.
  if (!message.contains("id") || !message.contains("method")) return accepted();
  if (!is_id(message["id"]) || !message["method"].is_string()) {
    return message_answer(error_message(nullptr, k_invalid_request, "Invalid Request"),
                          Form::Document, 400);
  }
  return message_answer(answer_request(message), form);
}

Answer server_card(const Call& call) {
  return json_answer(
      Json{{"name", k_name},
           {"version", k_version},
           {"description", "The manual pages of svc, served by its emulator."},
           {"protocolVersions", k_protocols},
           {"transport", {{"type", "streamable-http"}, {"url", own_address(call) + "/api/mcp"}}},
           {"capabilities", {{"tools", Json::object()}}},
           {"tools", docs::tool_list()}});
}

}  // namespace

std::vector<Route> docs_routes() {
  return {
      {"POST", "/api/mcp", take_message, "", Input::Free, KeyNeed::None},
      {"GET", "/.well-known/mcp/server-card.json", server_card, "", Input::Free, KeyNeed::None},
  };
}

}  // namespace svc::emulator
