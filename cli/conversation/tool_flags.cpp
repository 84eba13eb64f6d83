#include "conversation/tool_flags.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "operation/results.h"
#include "operation/runner.h"

namespace svc::cli {

namespace {

Error nobody_to_ask(const ToolProgram& tool) {
  return usage_error(
      fmt::format("--tool {} asks before a program is run, and there is no terminal to ask at",
                  tool.name),
      fmt::format("Add --allow-tools {} to run it without a question; all allows every one.",
                  tool.name));
}

Result<void> read_names(const Session& session, ToolFlags& flags) {
  for (const std::string& text : values_of(session, "tool")) {
    SVC_TRY(tool, read_tool_program(text, false));
    const bool twice = std::any_of(flags.tools.begin(), flags.tools.end(),
                                   [&](const ToolProgram& one) { return one.name == tool.name; });
    if (twice) return usage_error(fmt::format("--tool {} is given twice", tool.name));
    flags.tools.push_back(std::move(tool));
  }
  for (const std::string& text : values_of(session, "allow-tools")) {
    SVC_TRY(allowed, read_allowed_tools(text, flags.tools));
    flags.allowed.all = flags.allowed.all || allowed.all;
    flags.allowed.names.merge(allowed.names);
  }
  return {};
}

}  // namespace

Result<ToolFlags> read_tool_flags(const Session& session, bool asks) {
  ToolFlags flags;
  SVC_CHECK(read_names(session, flags));
  const Invocation& given = session.invocation();
  if (const auto time = duration_flag(session, "tool-timeout")) flags.limits.time = *time;
  if (const auto bytes = given.value("tool-max-output")) {
    flags.limits.output = static_cast<std::size_t>(parse_integer(*bytes).value_or(0));
  }
  if (const auto rounds = given.value("max-tool-rounds")) {
    flags.rounds = static_cast<int>(parse_integer(*rounds).value_or(flags.rounds));
  }
  if (session.globals().dry_run || session.globals().curl) return flags;
  const ToolProgram* asked = not_allowed(flags.allowed, flags.tools);
  if (asked != nullptr && !asks) return nobody_to_ask(*asked);
  flags.tools.clear();
  for (const std::string& text : values_of(session, "tool")) {
    SVC_TRY(tool, read_tool_program(text, true, session.cancel_token()));
    flags.tools.push_back(std::move(tool));
  }
  return flags;
}

}  // namespace svc::cli
