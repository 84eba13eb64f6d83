// Local features of a conversation: tools, saving, output format, uploaded files.
#pragma once

#include <array>

#include "catalogue/builders.h"

namespace svc::catalogue {

/// MCP servers to use; `svc mcp` has these flags too.
inline constexpr std::array k_mcp_fields = {
    file("mcp-local",
         "Use the tools of an MCP server, as NAME=COMMAND or NAME=URL; svc starts or calls it from "
         "this machine.",
         local, repeated, common, example("files='my-server --root /tmp'")),
    file("mcp-config",
         "Use the MCP servers in the `mcpServers` object of FILE; none ignores the profile's.",
         local, common, fallback("the setting mcp_config"), example("mcp.json"),
         completes("files")),
};

/// Conversations saved on this machine.
inline constexpr std::array k_conversation_fields = {
    boolean("continue",
            "Continue the last conversation of this terminal, or else this directory, or the one "
            "with this number or name.",
            local, common, letter('c'), optional_value("NAME|N")),
    text("session",
         "Continue the saved conversation with this name or number; a new name starts one.", local,
         common, example("work"), completes("sessions")),
    boolean("save", "Save the conversation on this machine.", local,
            fallback("true for interactive conversations and with --continue or --session, unless "
                     "history = false in the profile")),
};
inline constexpr std::array k_conversation_rules = {
    excludes("continue", "session", "Both select the conversation."),
};

/// Of the programs that svc runs for a model or an event.
inline constexpr Field k_tool_env_field =
    text("tool-env",
         "Pass this environment variable to the programs, even if it is a key or secret of svc.",
         local, repeated, example("SVC_API_KEY"));

inline constexpr std::array k_tool_fields = {
    file("tool",
         "Offer the model a tool, as NAME=PROGRAM[,SCHEMA.json]: PROGRAM reads JSON arguments from "
         "standard input, and its output is the result; the schema defaults to PROGRAM.json or "
         "`PROGRAM --schema`.",
         local, repeated, common, example("weather=./weather.sh")),
    text("allow-tools",
         "Run these tools without asking: comma-separated names, SERVER.TOOL for an MCP server's "
         "(* matches anything), or all.",
         local, repeated, common, example("weather")),
    duration("tool-timeout", "Abort a tool call after this time and tell the model.", local,
             fallback("30s"), example("10s")),
    k_tool_env_field,
    integer("tool-max-output", "Truncate a tool's output to N bytes and tell the model.", local,
            range(1, 10'000'000, "bytes"), fallback("65536"), example("4000")),
};

/// For chat and responses.
inline constexpr std::array k_turn_fields = {
    integer("max-tool-rounds", "Maximum tool rounds per turn; exceeding it exits with 9.", local,
            range(1, 1000, "rounds"), fallback("10"), example("3")),
    file("schema",
         "Require an answer that matches the JSON Schema in FILE, or given as JSON; a mismatch "
         "exits with 9. --json "
         "prints only the object.",
         local, common, example("answer.json")),
    boolean("keep",
            "Keep uploaded attachments; by default they are deleted after the answer, or after 30 "
            "days in a saved conversation.",
            local),
};

/// How the answer is shown.
inline constexpr Field k_render_field =
    boolean("render", "Render the answer's Markdown.", local, common,
            fallback("true on a terminal, unless render = false in the profile"));
inline constexpr std::array<sv, 3> k_reasoning_views = {"full", "fold", "none"};
inline constexpr Field k_reasoning_field =
    text("reasoning", "Show all of the reasoning, only how long it took, or nothing.", local,
         choices(k_reasoning_views), fallback("full"), example("fold"));
constexpr Field code_block_field(sv flag) {
  return boolean(flag, "Print only the first code block of the answer, or the Nth.", local, common,
                 optional_value("N"));
}
inline constexpr Field k_template_field =
    text("template", "Use a prompt template of the profile; see `svc templates`.", local, common,
         letter('t'), example("summarize"), completes("templates"));
inline constexpr std::array k_answer_shown_fields = {k_render_field, k_reasoning_field,
                                                     k_template_field};

}  // namespace svc::catalogue
