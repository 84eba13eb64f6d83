// Repairs JSON that strict parsers reject although its meaning is clear.
#pragma once

#include <string>
#include <string_view>

namespace svc {

/// Returns `json` with ill-formed UTF-8 and lone surrogate escapes (`\ud800`) replaced by U+FFFD,
/// and numbers too large for a double (`1e400`) replaced by the largest double, so that strict
/// parsers accept it. Everything else is copied byte for byte, including everything after the first
/// position that is not JSON.
[[nodiscard]] std::string repair_json(std::string_view json);

}  // namespace svc
