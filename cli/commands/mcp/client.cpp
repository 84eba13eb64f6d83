// `svc mcp tools` and `svc mcp call`: lists the tools of MCP servers, and calls one.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/wait.h"
#include "catalogue/mcp_fields.h"
#include "commands/command.h"
#include "conversation/mcp_servers.h"
#include "conversation/turn_tools.h"
#include "json/document.h"
#include "operation/rpc_tool.h"
#include "operation/runner.h"

namespace svc::cli {
namespace {

using McpCallFlags = Flags<catalogue::mcp::k_call_fields>;
using McpToolsFlags = Flags<catalogue::mcp::k_tools_fields>;

/// The servers that the argument selects: one described inline, one by name, or all.
Result<std::vector<mcp::ServerSpec>> chosen_servers(Session& session) {
  const std::string wanted = McpToolsFlags(session.inputs()).text<"server">();
  std::vector<mcp::ServerSpec> chosen;
  const bool is_url = wanted.starts_with("https://") || wanted.starts_with("http://");
  if (is_url || wanted.find('=') != std::string::npos) {
    SVC_TRY(spec, mcp::read_server_flag("SERVER", is_url ? "server=" + wanted : wanted));
    chosen.push_back(std::move(spec));
    return chosen;
  }
  SVC_TRY(named, read_mcp_servers(session, wanted));
  for (mcp::ServerSpec& spec : named) spec.optional = false;
  if (!named.empty()) return std::move(named);
  SVC_TRY(all, read_mcp_servers(session));
  std::vector<std::string> names;
  for (const mcp::ServerSpec& spec : all) names.push_back(spec.name);
  if (names.empty()) {
    return usage_error("no MCP server is configured",
                       "Pass NAME=COMMAND, NAME=URL or --mcp-config FILE, or set mcp_config.");
  }
  return usage_error(fmt::format("unknown MCP server '{}'", shown(wanted)),
                     fmt::format("Servers: {}.", shown_message(join(names, ", "))));
}

/// Starts the servers, each after confirmation.
Result<void> start_chosen(Session& session, McpServers& servers) {
  SVC_TRY(specs, chosen_servers(session));
  for (const mcp::ServerSpec& spec : specs) {
    SVC_CHECK(servers.agree(spec, false, can_ask(session)));
  }
  return servers.start(std::move(specs), session.cancel_token());
}

OrderedJson tool_row(const mcp::Client& client, const mcp::ToolInfo& tool) {
  OrderedJson row = {{"server", client.name()}, {"name", tool.name}};
  if (!tool.title.empty()) row["title"] = tool.title;
  row["description"] = tool.description;
  row["inputSchema"] = parse_reply_in_order(tool.schema);
  row["readOnly"] = tool.read_only;
  row["destructive"] = tool.destructive;
  return row;
}

/// Reports an unknown tool, with the nearest name: servers word this differently or not at all.
Result<void> check_tool(const mcp::Client& client, const std::string& tool) {
  std::vector<std::string> names;
  for (const mcp::ToolInfo& one : client.tools()) {
    if (one.name == tool) return {};
    names.push_back(one.name);
  }
  const sv near = nearest(tool, names);
  return usage_error(
      fmt::format("MCP server {} has no tool '{}'", shown(client.name()), shown(tool)),
      near.empty() ? fmt::format("Tools: {}.", shown_message(join(names, ", ")))
                   : fmt::format("Did you mean {}?", shown(near)));
}

Result<std::string> tool_arguments(const Session& session) {
  const std::string text = McpCallFlags(session.inputs()).get<"arguments">().value_or("{}");
  if (!trim(text).starts_with('{')) {
    return usage_error(
        fmt::format("a tool's arguments must be a JSON object, not '{}'", shown(text)));
  }
  return text;
}

Result<void> print_result(Session& session, const std::string& result) {
  SVC_TRY(given, mcp::read_tool_result(result));
  if (session.format() != Format::Text) {
    SVC_CHECK(session.write_document(result));
  } else if (!given.text.empty() && !given.failed) {
    SVC_CHECK(session.write_foreign(given.text));
    if (!given.text.ends_with('\n')) SVC_CHECK(session.out().write("\n"));
  }
  SVC_CHECK(session.out().flush());
  if (session.format() == Format::Text) note_media(session, given.media);
  if (!given.failed) return {};
  return Error{Fault::Service, fmt::format("the tool reported an error: {}",
                                           given.text.empty() ? "no details given"
                                                              : shown_message(trim(given.text)))};
}

}  // namespace

template <>
Result<void> run<Handler::McpTools>(Session& session) {
  McpServers servers(session);
  SVC_CHECK(start_chosen(session, servers));
  OrderedJson rows = OrderedJson::array();
  for (const auto& client : servers.clients()) {
    for (const mcp::ToolInfo& tool : client->tools()) rows.push_back(tool_row(*client, tool));
  }
  return print_list(session, rows, [](const OrderedJson& tool) {
    // A list shows only the first line of the description.
    OrderedJson row = tool;
    const auto description = tool["description"].get<std::string>();
    row["description"] = std::string(trim(sv(description).substr(0, description.find('\n'))));
    return row;
  });
}

template <>
Result<void> run<Handler::McpCall>(Session& session) {
  const McpCallFlags flags(session.inputs());
  const std::string tool = flags.text<"tool">();
  SVC_TRY(arguments, tool_arguments(session));
  McpServers servers(session);
  SVC_CHECK(start_chosen(session, servers));
  mcp::Client& client = *servers.clients().front();
  SVC_CHECK(check_tool(client, tool));
  // During the call, progress is shown and Ctrl-C cancels it.
  const auto time = flags.get<"tool-timeout">().value_or(ToolLimits{}.time);
  session.progress().start(fmt::format("{} {}", shown(client.name()), shown(tool)));
  Background<Result<std::string>> call([&](const CancelToken& cancel) {
    return client.call_raw(tool, arguments, mcp::CallContext{time, cancel});
  });
  while (!call.over() && !session.cancel_token().requested()) {
    (void)wait_readable(call.descriptor(), after(std::chrono::milliseconds(100)),
                        session.cancel_token());
    servers.report_changes();
    session.progress().tick();
  }
  if (session.cancel_token().requested()) call.cancel();
  Result<std::string>& result = call.result();
  session.progress().finish();
  servers.report_changes();
  if (const auto fault = session.cancel_token().requested()) return canceled(*fault);
  if (!result) {
    Error error = std::move(result).error();
    error.message = fmt::format("MCP server {}: {}", shown(client.name()), error.message);
    return error;
  }
  return print_result(session, *result);
}

}  // namespace svc::cli
