#include "conversation/tool_flags.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "catalogue/tool_fields.h"
#include "operation/results.h"
#include "operation/runner.h"

namespace svc::cli {

namespace {

using catalogue::k_tool_fields;
using catalogue::k_turn_fields;

Error no_terminal_to_ask(const ToolProgram& tool) {
  return usage_error(
      fmt::format("cannot confirm --tool {}: not running on a terminal", tool.name),
      fmt::format("Add --allow-tools {} to run it without asking, or --allow-tools all.",
                  tool.name));
}

Result<void> read_names(const Session& session, ToolFlags& flags) {
  for (const std::string& text : Flags<k_tool_fields>(session.inputs()).get<"tool">()) {
    SVC_TRY(tool, read_tool_program(text, false));
    const bool twice = std::any_of(flags.tools.begin(), flags.tools.end(),
                                   [&](const ToolProgram& one) { return one.name == tool.name; });
    if (twice) return usage_error(fmt::format("--tool {} is given twice", tool.name));
    flags.tools.push_back(std::move(tool));
  }
  return {};
}

Result<void> read_allowed(const Session& session, const std::vector<mcp::ServerSpec>& specs,
                          ToolFlags& flags) {
  std::vector<std::string> servers;
  for (const mcp::ServerSpec& spec : specs) servers.push_back(spec.name);
  for (const std::string& text : Flags<k_tool_fields>(session.inputs()).get<"allow-tools">()) {
    SVC_TRY(allowed, read_allowed_tools(text, flags.tools, servers));
    flags.allowed.all = flags.allowed.all || allowed.all;
    flags.allowed.names.merge(allowed.names);
    for (std::string& pattern : allowed.patterns) flags.allowed.patterns.push_back(pattern);
  }
  return {};
}

/// A name without * that matches no tool of its server is a typing error.
Result<void> check_patterns(const ToolFlags& flags, const std::vector<ToolProgram>& tools) {
  for (const std::string& pattern : flags.allowed.patterns) {
    if (pattern.find('*') != std::string::npos) continue;
    std::vector<sv> addresses;
    for (const ToolProgram& tool : tools) addresses.emplace_back(tool.address);
    if (std::find(addresses.begin(), addresses.end(), pattern) != addresses.end()) continue;
    const sv near = nearest(pattern, addresses);
    return usage_error(fmt::format("--allow-tools: unknown tool {}", shown(pattern)),
                       near.empty() ? "`svc mcp tools` lists a server's tools."
                                    : fmt::format("Did you mean {}?", shown(near)));
  }
  return {};
}

/// Whether the user confirms a server. A server of the profile is skipped if the user declines or
/// nobody can be asked.
Result<bool> agrees(Session& session, const mcp::ServerSpec& spec, bool asks, ToolFlags& flags) {
  const bool allowed = flags.allowed.has_server(spec.name);
  if (asks || allowed) {
    const Result<void> agreed = flags.servers->agree(spec, allowed, asks);
    if (agreed) return true;
    if (!spec.optional || is_cancellation(agreed.error().fault)) return agreed.error();
    session.notices().note(fmt::format("MCP server {} is not used", shown(spec.name)));
    return false;
  }
  if (spec.optional) {
    session.notices().detail(
        fmt::format("skipping MCP server {}: not in --allow-tools, and no terminal to ask on",
                    shown(spec.name)));
    return false;
  }
  if (session.globals().shows_only()) {
    session.notices().note(fmt::format(
        "MCP server {} is not started, so its tools are missing here: not in --allow-tools, and no "
        "terminal to ask on",
        shown(spec.name)));
    return false;
  }
  return usage_error(
      fmt::format("cannot confirm the tools of MCP server {}: not running on a terminal",
                  shown(spec.name)),
      fmt::format("Add --allow-tools {} to allow its tools; {} allows one.",
                  shell_quote(spec.name + ".*"), shell_quote(spec.name + ".TOOL")));
}

Result<void> start_servers(Session& session, const std::vector<mcp::ServerSpec>& specs, bool asks,
                           ToolFlags& flags) {
  std::vector<mcp::ServerSpec> agreed;
  for (const mcp::ServerSpec& spec : specs) {
    SVC_TRY(yes, agrees(session, spec, asks, flags));
    if (yes) agreed.push_back(spec);
  }
  if (agreed.empty()) return {};
  SVC_CHECK(flags.servers->start(std::move(agreed), session.cancel_token()));
  return check_patterns(flags, flags.servers->tools(flags.tools));
}

}  // namespace

std::vector<ToolProgram> ToolFlags::served(std::vector<ToolProgram> programs) const {
  std::erase_if(programs, [](const ToolProgram& tool) { return !tool.address.empty(); });
  std::vector<ToolProgram> all = servers->tools(programs);
  if (only_allowed) {
    std::erase_if(all, [this](const ToolProgram& tool) { return !allowed.has(tool); });
  }
  return all;
}

Result<ToolFlags> read_tool_flags(Session& session, bool asks) {
  ToolFlags flags;
  flags.servers = std::make_shared<McpServers>(session);
  flags.only_allowed = !asks;
  SVC_CHECK(read_names(session, flags));
  SVC_TRY(specs, read_mcp_servers(session));
  SVC_CHECK(read_allowed(session, specs, flags));
  const Flags<k_tool_fields> given(session.inputs());
  flags.limits.time = given.get<"tool-timeout">().value_or(flags.limits.time);
  if (const auto bytes = given.get<"tool-max-output">()) {
    flags.limits.output = static_cast<std::size_t>(*bytes);
  }
  if (const auto rounds = Flags<k_turn_fields>(session.inputs()).get<"max-tool-rounds">()) {
    flags.rounds = static_cast<int>(*rounds);
  }
  const ToolProgram* asked = not_allowed(flags.allowed, flags.tools);
  // What is only shown runs no tool.
  if (asked != nullptr && !asks && !session.globals().shows_only()) {
    return no_terminal_to_ask(*asked);
  }
  flags.tools.clear();
  for (const std::string& text : Flags<k_tool_fields>(session.inputs()).get<"tool">()) {
    SVC_TRY(tool, read_tool_program(text, true, session.cancel_token(), given.get<"tool-env">()));
    flags.tools.push_back(std::move(tool));
  }
  SVC_CHECK(start_servers(session, specs, asks, flags));
  for (ToolProgram& tool : flags.served(flags.tools)) flags.tools.push_back(std::move(tool));
  return flags;
}

}  // namespace svc::cli
