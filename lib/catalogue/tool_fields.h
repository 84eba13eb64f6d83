// What the tool itself does in a conversation: programs of the user that a model may run, the form
// of the answer, files.
#pragma once

#include <array>

#include "catalogue/model.h"

namespace svc::catalogue {

inline constexpr std::array<Field, 4> k_tool_fields = {
    Field{.flag = "tool",
          .path = "",
          .in = In::Local,
          .help = "A program that the model may run, as NAME=PROGRAM or NAME=PROGRAM,SCHEMA.json: "
                  "arguments come on its standard input as JSON, its output goes to the model; "
                  "without a file, its description is in PROGRAM.json or comes from `PROGRAM "
                  "--schema`.",
          .repeated = true,
          .common = true,
          .example = "weather=./weather.sh"},
    Field{.flag = "allow-tools",
          .path = "",
          .in = In::Local,
          .help = "Run these of them without asking first: names separated by commas, or all.",
          .repeated = true,
          .common = true,
          .example = "weather"},
    Field{.flag = "tool-timeout",
          .path = "",
          .kind = Kind::Duration,
          .in = In::Local,
          .help = "Give up on a program after this time, and tell the model so.",
          .fallback = "30s",
          .example = "10s"},
    Field{.flag = "tool-max-output",
          .path = "",
          .kind = Kind::Integer,
          .in = In::Local,
          .help = "Send at most this much of a program's output; the model is told what was cut.",
          .range = Range{1, 10'000'000, "bytes"},
          .fallback = "65536",
          .example = "4000"},
};

/// Of chat and responses.
inline constexpr std::array<Field, 3> k_turn_fields = {
    Field{.flag = "max-tool-rounds",
          .path = "",
          .kind = Kind::Integer,
          .in = In::Local,
          .help = "End, with exit code 9, when the model asks for programs more often than this in "
                  "one turn.",
          .range = Range{1, 1000, "rounds"},
          .fallback = "10",
          .example = "3"},
    Field{.flag = "schema",
          .path = "",
          .in = In::Local,
          .help =
              "Ask for an answer that fits the JSON Schema in this file, and check that it does: "
              "exit code 9, with the place, when not; --json prints the object itself.",
          .common = true,
          .example = "answer.json"},
    Field{.flag = "keep",
          .path = "",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Keep files that had to be uploaded for the question; else they are deleted with "
                  "the answer, those of a kept conversation after 30 days."},
};

}  // namespace svc::catalogue
