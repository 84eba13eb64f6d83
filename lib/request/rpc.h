// A tool's call as a JSON-RPC 2.0 message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "json/document.h"

namespace svc::request {

/// The id of every call: each is a request of its own, to a server that keeps no session.
inline constexpr std::int64_t k_rpc_id = 1;

/// The body of `tools/call` for this tool with these arguments.
[[nodiscard]] std::string tool_call(std::string_view tool, const OrderedJson& arguments);

}  // namespace svc::request
