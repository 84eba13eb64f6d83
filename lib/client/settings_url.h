// Addresses of the service: what is accepted, and their normal form (api 4 §1.1, design §5).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc {

enum class UrlUse : std::uint8_t {
  Http,    ///< https, or http to loopback
  Socket,  ///< wss, or ws to loopback; https and http are read as wss and ws
};

/// `text` in its normal form: scheme and host in lower case, no trailing slash, no trailing `/v1`,
/// no port that is the scheme's own. Usage with `where` as the subject when it has no scheme, user
/// information, a query, a fragment, an impossible host or port, or is plain text to anywhere but
/// loopback.
[[nodiscard]] Result<std::string> normal_service_url(std::string_view where, std::string_view text,
                                                     UrlUse use);

/// A normal address with the scheme for WebSockets: https -> wss, http -> ws.
[[nodiscard]] std::string socket_url(std::string_view normal_url);

/// localhost, 127.0.0.0/8, or ::1 (with or without brackets).
[[nodiscard]] bool is_loopback_host(std::string_view host);

}  // namespace svc
