// The JSON body: --body, then --set, then flags; each wins over the ones before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/document.h"
#include "request/inputs.h"

namespace svc::request {

/// The object that --body gives, or an empty one. `stdin_text` is what `-` stands for.
[[nodiscard]] Result<OrderedJson> base_body(const Inputs& inputs,
                                            const std::optional<std::string>& stdin_text);

/// Applies each --set PATH=JSON. A value that is not JSON is taken as text when it looks like a
/// bare word, so `--set user=anna` works.
[[nodiscard]] Result<void> apply_sets(OrderedJson& body, const Inputs& inputs);

/// Puts `value` at a dotted path, making objects on the way. A part such as `type=web_search` is
/// the element of an array that has this member, made where there is none. Usage when a scalar is
/// in the way.
[[nodiscard]] Result<void> put(OrderedJson& body, std::string_view path, OrderedJson value);

/// Appends to the array at a dotted path; an array's elements are appended one by one.
[[nodiscard]] Result<void> append(OrderedJson& body, std::string_view path, OrderedJson value);

/// The member at such a path, or null.
[[nodiscard]] const OrderedJson* find(const OrderedJson& body, std::string_view path);

// A tool's call as a JSON-RPC 2.0 message.

/// The id of every call: each is a request of its own, to a server that keeps no session.
inline constexpr std::int64_t k_rpc_id = 1;

/// The body of `tools/call` for this tool with these arguments.
[[nodiscard]] std::string tool_call(std::string_view tool, const OrderedJson& arguments);

}  // namespace svc::request
