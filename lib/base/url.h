// Percent-encoding (RFC 3986).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/message.h"

namespace svc {

/// Everything but unreserved characters as %XX: safe as a path segment or query value.
[[nodiscard]] std::string percent_encode(std::string_view text);

/// `text` with each %XX replaced by its byte; a % without two hexadecimal digits is kept.
[[nodiscard]] std::string percent_decoded(std::string_view text);

/// "?a=1&b=2", or "" when there are no pairs.
[[nodiscard]] std::string query_string(std::span<const Header> pairs);

}  // namespace svc
