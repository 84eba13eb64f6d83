// Percent-encoding (RFC 3986).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/message.h"

namespace svc {

/// Encodes all but unreserved characters as %XX: safe in a path segment or query value.
[[nodiscard]] std::string percent_encode(std::string_view text);

/// Replaces each %XX with its byte; a % without two hexadecimal digits is unchanged.
[[nodiscard]] std::string percent_decode(std::string_view text);

/// "?a=1&b=2", or "" when there are no pairs.
[[nodiscard]] std::string query_string(std::span<const Header> pairs);

}  // namespace svc
