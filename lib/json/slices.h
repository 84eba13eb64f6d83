// Finds parts of a JSON text without copying, for items that are output byte for byte.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svc {

/// The value at a dotted path of field names, as a slice of `json`; nothing if it is absent. `|`
/// separates alternatives, of which the first present one is returned. `json` must have passed
/// check_json(). Names with escapes are not found.
[[nodiscard]] std::optional<std::string_view> json_member(std::string_view json,
                                                          std::string_view path);

/// json_member() for each of at most 32 paths, in one pass.
[[nodiscard]] std::vector<std::optional<std::string_view>> json_pick(
    std::string_view json, std::span<const std::string_view> paths);

/// A field of an object: its name without quotes, escapes not decoded, and its value.
struct JsonMember {
  std::string_view name;
  std::string_view value;
};

/// The fields of the object `json`, in order; empty for anything else.
[[nodiscard]] std::vector<JsonMember> json_members(std::string_view json);

/// The elements of the array `json`, as slices of it; empty for anything else.
[[nodiscard]] std::vector<std::string_view> json_elements(std::string_view json);

/// The decoded text of a slice that is a JSON string; "" for anything else.
[[nodiscard]] std::string json_string(const std::optional<std::string_view>& slice);

}  // namespace svc
