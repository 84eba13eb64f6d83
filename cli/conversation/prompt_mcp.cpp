// /mcp in a conversation: which MCP servers there are, what they offer, a tool tried.
#include <fmt/format.h>

#include "base/text.h"
#include "conversation/prompt.h"
#include "json/text.h"

namespace svc::cli {
namespace {

/// The first word of a text, which loses it.
std::string take_word(sv& text) {
  text = trim(text);
  const std::size_t end = std::min(text.find(' '), text.size());
  std::string word(text.substr(0, end));
  text = trim(text.substr(end));
  return word;
}

}  // namespace

Result<void> Converse::mcp(const std::string& argument) {
  sv rest = argument;
  const std::string first = take_word(rest);
  McpServers& servers = m_dialogue.tools().servers();
  if (first == "call") return call_server_tool(rest);
  if (argument.find('=') != std::string::npos) {
    // The question is answered by a line, which the editor's terminal does not give.
    m_terminal.leave();
    Result<void> added;
    {
      const TurnCancel cancel(m_session.cancel_token(), m_terminal);
      added = m_dialogue.tools().add_server(argument, cancel);
    }
    if (!m_session.out().terminal().dumb) (void)m_terminal.enter();
    if (!added) return added;
    return list_server_tools(argument.substr(0, argument.find('=')));
  }
  if (!argument.empty()) return list_server_tools(argument);
  if (servers.empty()) {
    tell("There is no MCP server. /mcp NAME=COMMAND or /mcp NAME=URL adds one.");
    return {};
  }
  for (const auto& client : servers.clients()) {
    tell(fmt::format("{}: {}, {} tools", client->name(), client->title(), client->tools().size()));
  }
  return {};
}

Result<void> Converse::list_server_tools(const std::string& name) {
  const mcp::Client* client = m_dialogue.tools().servers().find(name);
  if (client == nullptr) {
    return usage_error(fmt::format("there is no MCP server {}", shown(name)),
                       "/mcp lists them. /mcp NAME=COMMAND adds one.");
  }
  for (const mcp::ToolInfo& tool : client->tools()) {
    const sv about = trim(sv(tool.description).substr(0, tool.description.find('\n')));
    tell(fmt::format("{}.{}: {}", client->name(), tool.name, excerpt(about, 100)));
  }
  return {};
}

Result<void> Converse::call_server_tool(sv line) {
  const std::string server = take_word(line);
  const std::string tool = take_word(line);
  const std::string arguments = line.empty() ? "{}" : std::string(line);
  if (tool.empty()) return usage_error("/mcp call takes SERVER TOOL JSON");
  if (const auto fault = check_json(arguments); fault || !arguments.starts_with('{')) {
    return usage_error("a tool's arguments are a JSON object");
  }
  mcp::Client* client = m_dialogue.tools().servers().find(server);
  if (client == nullptr) return list_server_tools(server);
  const TurnCancel cancel(m_session.cancel_token(), m_terminal);
  auto result = client->call(tool, arguments, mcp::Patience{ToolLimits{}.time, cancel});
  m_dialogue.tools().servers().tell_news();
  if (!result) {
    if (result.error().fault == Fault::Interrupted && !m_session.cancel_token().requested()) {
      tell("(stopped)");
      return {};
    }
    return std::move(result).error();
  }
  const ToolEnd end = tool_end(std::move(result), ToolLimits{});
  tell(end.error ? "The tool reports an error:" : "The tool gave:");
  if (!end.output.empty()) tell(end.output);
  if (!end.images.empty()) tell(fmt::format("{} image(s)", end.images.size()));
  return {};
}

}  // namespace svc::cli
