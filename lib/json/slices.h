// Parts of a JSON text as they stand in it: for items that must come out byte for byte.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace svc {

/// The value at a dotted path of member names, as a piece of `json`; nothing when it is not there.
/// `|` stands between alternatives, of which the first that is there counts.
/// `json` must have passed check_json(). Names with escapes are not found.
[[nodiscard]] std::optional<std::string_view> json_member(std::string_view json,
                                                          std::string_view path);

/// json_member() for each of at most 32 paths, all found in one pass.
[[nodiscard]] std::vector<std::optional<std::string_view>> json_pick(
    std::string_view json, std::span<const std::string_view> paths);

/// A member of an object: its name without quotes, escapes as they stand, and its value.
struct JsonMember {
  std::string_view name;
  std::string_view value;
};

/// The members of the object that `json` is, in order; empty for anything else.
[[nodiscard]] std::vector<JsonMember> json_members(std::string_view json);

/// The elements of the array that `json` is, as pieces of it; empty for anything else.
[[nodiscard]] std::vector<std::string_view> json_elements(std::string_view json);

}  // namespace svc
