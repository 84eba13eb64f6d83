// What the tool itself does in a conversation: programs of the user that a model may run, the form
// of the answer, files.
#pragma once

#include <array>

#include "catalogue/mcp_fields.h"
#include "catalogue/model.h"

namespace svc::catalogue {

inline constexpr std::array<Field, 4> k_tool_fields = {
    Field{.flag = "tool",
          .kind = Kind::File,
          .in = In::Local,
          .help = "Offer the model a tool, as NAME=PROGRAM[,SCHEMA.json]: PROGRAM reads JSON "
                  "arguments from standard input, and its output is the result; the schema "
                  "defaults to PROGRAM.json or `PROGRAM --schema`.",
          .repeated = true,
          .common = true,
          .example = "weather=./weather.sh"},
    Field{.flag = "allow-tools",
          .in = In::Local,
          .help = "Run these tools without asking: comma-separated names, SERVER.TOOL for an MCP "
                  "server's (* stands for anything), or all.",
          .repeated = true,
          .common = true,
          .example = "weather"},
    Field{.flag = "tool-timeout",
          .kind = Kind::Duration,
          .in = In::Local,
          .help = "Abort a tool call after this time; the model is informed.",
          .fallback = "30s",
          .example = "10s"},
    Field{.flag = "tool-max-output",
          .kind = Kind::Integer,
          .in = In::Local,
          .help = "Truncate a tool's output to this size; the model is informed.",
          .range = Range{1, 10'000'000, "bytes"},
          .fallback = "65536",
          .example = "4000"},
};

/// Of chat and responses.
inline constexpr std::array<Field, 3> k_turn_fields = {
    Field{.flag = "max-tool-rounds",
          .kind = Kind::Integer,
          .in = In::Local,
          .help = "Maximum tool rounds per turn; exceeding it exits with 9.",
          .range = Range{1, 1000, "rounds"},
          .fallback = "10",
          .example = "3"},
    Field{.flag = "schema",
          .kind = Kind::File,
          .in = In::Local,
          .help = "Require an answer that matches the JSON Schema in FILE; a mismatch exits with "
                  "9. --json prints the object alone.",
          .common = true,
          .example = "answer.json"},
    Field{.flag = "keep",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Keep files uploaded for the prompt; otherwise they are deleted after the "
                  "answer, or after 30 days in a saved conversation."},
};

/// How the answer is shown.
inline constexpr Field k_render_field{
    .flag = "render",
    .kind = Kind::Boolean,
    .in = In::Local,
    .help = "Render the answer's Markdown.",
    .common = true,
    .fallback = "true on a terminal, unless the profile says render = false"};
constexpr Field code_block_field(sv flag) {
  return Field{.flag = flag,
               .kind = Kind::Boolean,
               .in = In::Local,
               .help = "Print only the first code block of the answer, or the Nth.",
               .common = true,
               .may_take = "N"};
}
inline constexpr Field k_template_field{
    .flag = "template",
    .in = In::Local,
    .help = "Use a prompt template of the profile; see `svc templates`.",
    .letter = 't',
    .common = true,
    .example = "summarize",
    .completes = "templates"};

}  // namespace svc::catalogue
