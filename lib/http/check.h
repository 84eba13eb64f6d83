// Checks a request before a connection is made.
#pragma once

#include <string_view>

#include "base/result.h"
#include "http/transport.h"
#include "http/url.h"

namespace svc::http {

/// Returns the URL of a valid request. Usage for a malformed or unencrypted URL, a method or header
/// that could inject another one, a length or framing header, and a key with anything but visible
/// ASCII characters.
[[nodiscard]] Result<Url> check_request(const HttpRequest& request);

/// Whether `text` is a valid header name or method (a token of RFC 9110).
[[nodiscard]] bool is_token(std::string_view text);

/// Usage if `key` contains a character that is invalid in an Authorization header. The message does
/// not contain the key.
[[nodiscard]] Result<void> check_key(std::string_view key);

/// Whether the header carries credentials and must be dropped on a redirect to another host.
[[nodiscard]] bool is_credential_header(std::string_view name) noexcept;

}  // namespace svc::http
