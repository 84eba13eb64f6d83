// What may be sent at all: checked before a connection is made.
#pragma once

#include <string_view>

#include "base/result.h"
#include "http/transport.h"
#include "http/url.h"

namespace svc::http {

/// The address of a request that may be sent, or Usage: a malformed or clear-text address, a method
/// or header that could carry another one into the message, a length or framing header, a key with
/// anything but visible ASCII.
[[nodiscard]] Result<Url> check_request(const HttpRequest& request);

/// Whether it can be the name of a header or a method (a token of RFC 9110).
[[nodiscard]] bool is_token(std::string_view text);

/// Usage when `key` cannot stand in an Authorization header; the message does not show it.
[[nodiscard]] Result<void> check_key(std::string_view key);

/// True for headers that no redirect may take to another place.
[[nodiscard]] bool is_credential_header(std::string_view name) noexcept;

}  // namespace svc::http
