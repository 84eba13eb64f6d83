#include "mcp/client.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/document.h"
#include "json/slices.h"
#include "json/text.h"
#include "mcp/message.h"

namespace svc::mcp {
namespace {

using nlohmann::json;

constexpr std::size_t k_max_tools = 2'000;
constexpr int k_max_pages = 200;
constexpr std::size_t k_max_news = 100;

bool is_true(const json& object, const char* name) {
  return member(object, name) == json(true);
}

ToolInfo tool_of(std::string_view text) {
  const json tool = parse_reply(text);
  const json& annotations = member(tool, "annotations");
  ToolInfo info{.name = text_member(tool, "name"),
                .title = text_member(tool, "title"),
                .description = text_member(tool, "description")};
  if (info.title.empty()) info.title = text_member(annotations, "title");
  const auto schema = json_member(text, "inputSchema");
  info.schema = schema && schema->starts_with('{') ? std::string(*schema) : R"({"type":"object"})";
  info.read_only = is_true(annotations, "readOnlyHint");
  info.destructive = !info.read_only && is_true(annotations, "destructiveHint");
  return info;
}

/// A line such as "42 of 100: reading" for progress, "info: …" for a log message.
std::string describe_notification(const std::string& method, const json& params) {
  if (method == "notifications/progress") {
    std::string line = compact_json(member(params, "progress"));
    if (const json& total = member(params, "total"); total.is_number()) {
      line += " of " + compact_json(total);
    }
    const std::string detail = text_member(params, "message");
    return detail.empty() ? line : line + ": " + detail;
  }
  if (method != "notifications/message") return {};
  const json& data = member(params, "data");
  return fmt::format("{}: {}", text_member(params, "level"),
                     data.is_string() ? data.get<std::string>() : compact_json(data));
}

Error not_connected() {
  return {Fault::Local, "the MCP server is not connected"};
}

std::string identity(const std::string& version) {
  return fmt::format(R"({{"name":"svc","version":{}}})", json_quote(version));
}

/// The metadata sent with every request of the revision without a handshake. It requests log
/// messages, which the server otherwise does not send.
std::string request_meta(const std::string& version) {
  return fmt::format(R"({{"io.modelcontextprotocol/protocolVersion":"{}",)"
                     R"("io.modelcontextprotocol/clientInfo":{},)"
                     R"("io.modelcontextprotocol/clientCapabilities":{{}},)"
                     R"("io.modelcontextprotocol/logLevel":"info"}})",
                     k_stateless_version, identity(version));
}

void add_text(ToolResult& out, const std::string& text) {
  if (!out.text.empty() && !out.text.ends_with('\n')) out.text += '\n';
  out.text += text;
}

/// Adds a resource in a result: text, an image, or a description of other bytes.
void add_resource(ToolResult& out, const json& resource) {
  const std::string uri = text_member(resource, "uri");
  const std::string type = text_member(resource, "mimeType");
  if (member(resource, "text").is_string()) {
    add_text(out, fmt::format("[resource {}]\n{}", uri, text_member(resource, "text")));
    return;
  }
  const std::string blob = text_member(resource, "blob");
  if (type.starts_with("image/") && !blob.empty()) {
    add_text(out, fmt::format("[resource {}: {}]", uri, type));
    out.media.push_back({type, blob});
    return;
  }
  add_text(out, fmt::format("[resource {}: {} bytes of {}]", uri, blob.size() / 4 * 3,
                            type.empty() ? "unknown type" : type));
}

void add_part(ToolResult& out, const json& part) {
  const std::string type = text_member(part, "type");
  if (type == "text") {
    add_text(out, text_member(part, "text"));
  } else if (type == "image" || type == "audio") {
    const std::string data = text_member(part, "data");
    std::string media = text_member(part, "mimeType");
    if (media.empty()) media = type == "image" ? "image/png" : "audio/wav";
    out.media.push_back({std::move(media), data});
  } else if (type == "resource") {
    add_resource(out, member(part, "resource"));
  } else if (type == "resource_link") {
    const std::string name = text_member(part, "name");
    const std::string about = text_member(part, "description");
    add_text(out, fmt::format("[resource {}{}{}{}{}]", text_member(part, "uri"),
                              name.empty() ? "" : ": ", name, about.empty() ? "" : ": ", about));
  } else {
    add_text(out, fmt::format("[a part of type {}]", type.empty() ? "unknown" : type));
  }
}

}  // namespace

Client::Client(std::string name, std::string version, Connect connect)
    : m_name(std::move(name)), m_version(std::move(version)), m_connect(std::move(connect)) {}

// The channel's thread may still deliver notifications, which need the members and the mutex.
Client::~Client() {
  std::shared_ptr<Channel> last;
  const std::lock_guard starting(m_starting);
  const std::lock_guard lock(m_mutex);
  last = std::move(m_channel);
}

std::shared_ptr<Channel> Client::channel() const {
  const std::lock_guard lock(m_mutex);
  return m_channel;
}

std::string Client::title() const {
  const std::lock_guard lock(m_mutex);
  return m_title;
}

std::string Client::revision() const {
  const std::lock_guard lock(m_mutex);
  return m_revision;
}

std::vector<ToolInfo> Client::tools() const {
  const std::lock_guard lock(m_mutex);
  return m_tools;
}

std::vector<std::string> Client::take_messages() {
  const std::lock_guard lock(m_mutex);
  return std::exchange(m_messages, {});
}

std::vector<std::string> Client::take_warnings() {
  const std::lock_guard lock(m_mutex);
  return std::exchange(m_warnings, {});
}

void Client::request_exit() noexcept {
  if (const auto requested = channel()) requested->request_exit();
}

Error Client::named(Error error) const {
  if (is_cancellation(error.fault)) return error;
  error.message = fmt::format("MCP server {}: {}", m_name, shown_message(error.message));
  const auto from = channel();
  const std::string detail = from ? from->stderr_output() : std::string();
  if (error.fault == Fault::Timeout && !trim(detail).empty()) {
    error.message += fmt::format("; standard error: {}", shown_message(trim(detail)));
  }
  return error;
}

Result<void> Client::open(const CallContext& context) {
  auto begun = begin(context);
  return begun ? std::move(begun) : named(std::move(begun).error());
}

Result<void> Client::begin(const CallContext& context) {
  SVC_TRY(made, m_connect([this](const std::string& method, const std::string& params) {
            on_notification(method, params);
          }));
  m_ready = false;
  // The previous channel, if any, is destroyed here or after its last request.
  std::shared_ptr<Channel> channel = std::move(made);
  {
    const std::lock_guard lock(m_mutex);
    m_channel.swap(channel);
  }
  channel = this->channel();
  SVC_CHECK(adopt_protocol(*channel, context));
  SVC_CHECK(list_tools(*channel, context));
  m_ready = true;
  return {};
}

/// The channel to the server, which is restarted if it has exited.
Result<std::shared_ptr<Channel>> Client::ensure_channel(const CallContext& context) {
  const std::lock_guard starting(m_starting);
  const auto now = channel();
  if (!now) return not_connected();
  if (m_ready && !now->is_closed()) return now;
  SVC_CHECK(begin(context));
  m_restarted = true;
  m_changed = true;  // the tools may differ
  return channel();
}

/// Tries the handshake first, although the newest revision has none: servers without a handshake
/// reject it at once, whereas an older server may never respond to an unknown request.
Result<void> Client::adopt_protocol(Channel& channel, const CallContext& context) {
  const auto result = channel.request(
      "initialize",
      fmt::format(R"({{"protocolVersion":"{}","capabilities":{{}},"clientInfo":{}}})",
                  k_handshake_version, identity(m_version)),
      context);
  if (!result) {
    const Error& error = result.error();
    if (error.code.empty() || error.fault == Fault::Timeout) return error;
    return adopt_stateless_protocol(channel, error, context);
  }
  const json document = parse_reply(*result);
  const std::string version = text_member(document, "protocolVersion");
  if (!is_handshake_version(version)) {
    return Error{Fault::Service, fmt::format("the MCP server uses unsupported protocol revision {}",
                                             version.empty() ? "(none)" : shown(version))};
  }
  {
    const std::lock_guard lock(m_mutex);
    const json& server = member(document, "serverInfo");
    m_title = fmt::format("{} {}", text_member(server, "name"), text_member(server, "version"));
    m_revision = version;
  }
  channel.adopt_protocol({.version = version});
  return channel.notify("notifications/initialized", {});
}

Result<void> Client::adopt_stateless_protocol(Channel& channel, const Error& refusal,
                                              const CallContext& context) {
  NegotiatedProtocol protocol{.version = std::string(k_stateless_version),
                              .meta = request_meta(m_version)};
  channel.adopt_protocol(protocol);
  const auto result = channel.request("server/discover", "{}", context);
  if (!result) return refusal;
  const json document = parse_reply(*result);
  const json& versions = member(document, "supportedVersions");
  const bool known = versions.is_array() && std::find(versions.begin(), versions.end(),
                                                      json(k_stateless_version)) != versions.end();
  if (!known) return refusal;
  const json& tools = member(member(document, "capabilities"), "tools");
  protocol.subscribes = is_true(tools, "listChanged");
  if (protocol.subscribes) channel.adopt_protocol(std::move(protocol));
  const std::lock_guard lock(m_mutex);
  const json& server = member(member(document, "_meta"), "io.modelcontextprotocol/serverInfo");
  m_title = fmt::format("{} {}", text_member(server, "name"), text_member(server, "version"));
  m_revision = k_stateless_version;
  return {};
}

Result<void> Client::read_tools(const CallContext& context) {
  const auto now = channel();
  auto read = now ? list_tools(*now, context) : Result<void>(not_connected());
  return read ? std::move(read) : named(std::move(read).error());
}

/// Adds a tool unless there is one of the same name, which it returns. Omits one whose schema
/// violates the protocol, with a warning.
std::string Client::add_tool(std::vector<ToolInfo>& tools, std::string_view text) {
  ToolInfo info = tool_of(text);
  if (info.name.empty()) return {};
  if (std::any_of(tools.begin(), tools.end(),
                  [&](const ToolInfo& other) { return other.name == info.name; })) {
    return info.name;
  }
  if (revision() == k_stateless_version) {
    auto headers = header_arguments(parse_reply(info.schema));
    if (!headers) {
      add_warning(fmt::format("tool {} is not used: {}", info.name, headers.error().message));
      return {};
    }
    info.headers = *std::move(headers);
  }
  tools.push_back(std::move(info));
  return {};
}

Result<void> Client::list_tools(Channel& channel, const CallContext& context) {
  m_changed = false;
  std::vector<ToolInfo> tools;
  std::string cursor;
  std::string listed_twice;
  int pages = 0;
  do {
    const auto page = channel.request(
        "tools/list", cursor.empty() ? "{}" : fmt::format(R"({{"cursor":{}}})", cursor), context);
    if (!page) {
      // A server with only resources or prompts has no tools.
      if (page.error().code == fmt::format("{}", k_method_not_found)) break;
      return page.error();
    }
    const auto list = json_member(*page, "tools");
    if (list) {
      for (const std::string_view tool : json_elements(*list)) {
        if (tools.size() == k_max_tools) break;
        const std::string name = add_tool(tools, tool);
        if (listed_twice.empty()) listed_twice = name;
      }
    }
    const auto next = json_member(*page, "nextCursor");
    // Guards against a server that returns the same page forever.
    const bool more = next && next->starts_with('"') && *next != cursor && *next != "\"\"";
    cursor = more ? std::string(*next) : std::string();
  } while (!cursor.empty() && tools.size() < k_max_tools && ++pages < k_max_pages);
  if (!listed_twice.empty()) {
    add_warning(
        fmt::format("several tools have the name {}; only the first is used", listed_twice));
  }
  if (!cursor.empty() || tools.size() == k_max_tools) {
    add_warning(
        fmt::format("its list of tools is too long; only the first {} are used", tools.size()));
  }
  const std::lock_guard lock(m_mutex);
  m_tools = std::move(tools);
  return {};
}

Result<std::string> Client::call_raw(std::string_view tool, std::string_view arguments,
                                     const CallContext& context) {
  constexpr std::string_view k_header_mismatch = "-32020";
  SVC_TRY(channel, ensure_channel(context));
  const auto send = [&] {
    return channel->request(
        "tools/call", fmt::format(R"({{"name":{},"arguments":{}}})", json_quote(tool), arguments),
        context, headers_for(tool, arguments));
  };
  auto result = send();
  // The call did not run: the tool now requires different headers.
  const bool mismatch = !result && result.error().code == k_header_mismatch;
  if (mismatch && list_tools(*channel, context)) {
    m_changed = true;  // the offered tools are out of date
    result = send();
  }
  return result;
}

std::vector<Header> Client::headers_for(std::string_view tool, std::string_view arguments) const {
  const std::lock_guard lock(m_mutex);
  for (const ToolInfo& one : m_tools) {
    if (one.name == tool) return headers_of(one.headers, arguments);
  }
  return {};
}

Result<ToolResult> Client::call(std::string_view tool, std::string_view arguments,
                                const CallContext& context) {
  SVC_TRY(result, call_raw(tool, arguments, context));
  return read_tool_result(result);
}

void Client::on_notification(const std::string& method, const std::string& params) {
  if (method == "notifications/tools/list_changed") {
    m_changed = true;
    return;
  }
  std::string line = describe_notification(method, params.empty() ? json() : parse_reply(params));
  if (!line.empty()) add_message(std::move(line));
}

void Client::add_message(std::string line) {
  const std::lock_guard lock(m_mutex);
  if (m_messages.size() < k_max_news) m_messages.push_back(excerpt_message(line));
}

void Client::add_warning(std::string line) {
  const std::lock_guard lock(m_mutex);
  if (m_warnings.size() < k_max_news) m_warnings.push_back(excerpt_message(line));
}

Result<ToolResult> read_tool_result(std::string_view result) {
  const json document = parse_reply(result);
  const std::string type = text_member(document, "resultType");
  if (type == "input_required") {
    return Error{Fault::Service, "the tool requests input, which svc does not support"};
  }
  if (!type.empty() && type != "complete") {
    return Error{Fault::Network,
                 fmt::format("the MCP server returned a result of unknown type {}", shown(type))};
  }
  const json& content = member(document, "content");
  const json& structured = member(document, "structuredContent");
  if (!content.is_array() && structured.is_null()) {
    return Error{Fault::Network, "the MCP server returned a tool result without content"};
  }
  ToolResult out;
  out.failed = member(document, "isError") == json(true);
  if (content.is_array()) {
    for (const json& part : content) add_part(out, part);
  }
  if (out.text.empty() && out.media.empty() && !structured.is_null()) {
    out.text = compact_json(structured);
  }
  return out;
}

}  // namespace svc::mcp
