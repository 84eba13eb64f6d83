// The JSON body: --body, then --set, then flags; each overrides the earlier ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/document.h"
#include "request/inputs.h"

namespace svc::request {

/// The object in --body, or an empty one. `stdin_text` replaces `-`.
[[nodiscard]] Result<OrderedJson> base_body(const Inputs& inputs,
                                            const std::optional<std::string>& stdin_text);

/// Applies each --set PATH=JSON. A value that is not JSON but looks like a bare word is a string,
/// so `--set user=anna` works.
[[nodiscard]] Result<void> apply_sets(OrderedJson& body, const Inputs& inputs);

/// Puts `value` at a dotted path, creating objects as needed. A component such as `type=web_search`
/// selects the array element with that field, created if missing. Usage if a scalar is in the way.
[[nodiscard]] Result<void> put(OrderedJson& body, std::string_view path, OrderedJson value);

/// Appends to the array at a dotted path; the elements of an array are appended individually.
[[nodiscard]] Result<void> append(OrderedJson& body, std::string_view path, OrderedJson value);

/// The value at such a path, or null. Unlike in --set, no number selects an element.
[[nodiscard]] const OrderedJson* find(const OrderedJson& body, std::string_view path);

/// The ID of every call: each is a separate request to a stateless server.
inline constexpr std::int64_t k_rpc_id = 1;

/// The JSON-RPC 2.0 body that calls a tool (`tools/call`) with these arguments.
[[nodiscard]] std::string tool_call(std::string_view tool, const OrderedJson& arguments);

}  // namespace svc::request
