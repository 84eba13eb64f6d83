// The fields of the group mcp.
#pragma once

#include <array>

#include "catalogue/tool_fields.h"

namespace svc::catalogue::mcp {

inline constexpr std::array k_serve_fields = {
    text("allow",
         "Offer these operations: comma-separated groups, such as images, or group and verb, such "
         "as \"files delete\"; or all.",
         local, repeated, common,
         fallback("free, read-only operations, plus chat, images, tts, stt and collections search"),
         example("images,files")),
    boolean("read-only", "Offer only operations that are free and change nothing.", local,
            plain_switch, common),
    file("root",
         "Let tools read files below this directory, unless the client grants roots of its own.",
         local, repeated, common, fallback("the working directory, unless it is / or your home"),
         example("photos")),
    file("output-dir",
         "Write images, audio and videos to this directory; otherwise they are part of the result.",
         local, common, example("results")),
};

inline constexpr Field k_server_field =
    text("server", "Name of a configured server, its URL, or NAME=COMMAND.", local, positional,
         common, example("files"));

inline constexpr std::array k_tools_own = {k_server_field};
inline constexpr auto k_tools_fields = concat(k_tools_own, k_mcp_fields);

inline constexpr std::array k_call_own = {
    with(k_server_field, required),
    text("tool", "Name of the tool, as shown by `svc mcp tools`.", local, required, positional,
         common, example("list_directory")),
    json("arguments", "The tool's arguments, as a JSON object.", local, positional, common,
         fallback("{}"), example(R"({"path":"/tmp"})")),
    duration("tool-timeout", "Abort the call after this time.", local, fallback("30s"),
             example("10s")),
};
inline constexpr auto k_call_fields = concat(k_call_own, k_mcp_fields);

}  // namespace svc::catalogue::mcp
