// Addresses: the little of RFC 3986 that a client of one service needs, and stricter than libcurl,
// so that no address can mean one thing here and another there.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/message.h"
#include "base/result.h"

namespace svc::http {

/// An absolute http, https, ws or wss address. The fragment is dropped.
struct Url {
  std::string scheme;      ///< lower case
  std::string host;        ///< lower case, an IPv6 address without its brackets
  std::uint16_t port = 0;  ///< the scheme's own when none is written
  std::string path{};      ///< with its leading slash; empty when there is none
  std::string query{};     ///< with its question mark; empty when there is none

  [[nodiscard]] bool secure() const noexcept { return scheme == "https" || scheme == "wss"; }
  /// `scheme://host`, with the port where it is not the scheme's own.
  [[nodiscard]] std::string origin() const;
  /// `host:port`, for messages.
  [[nodiscard]] std::string authority() const;
  [[nodiscard]] std::string text() const { return origin() + path + query; }
};

/// Reads an absolute address. Usage, in a sentence that shows no secret, when it has no scheme or
/// another one, user information, no host, anything but letters, digits, `.`, `-` and `_` in the
/// host (so no `%2F`), a port outside 1 to 65535, or a space or control character anywhere.
[[nodiscard]] Result<Url> parse_url(std::string_view text);

/// The base of an API as the commands use it: without trailing slashes and without a trailing
/// `/v1`, which every path brings along. Usage as parse_url, and for a query, for
/// anything but http and https, and for plain http to anywhere but loopback.
[[nodiscard]] Result<std::string> normalise_base_url(std::string_view text);

/// The same for the base of the WebSocket operations: ws and wss as well, and always those in the
/// result.
[[nodiscard]] Result<std::string> normalise_realtime_url(std::string_view text);

/// `https://…` as `wss://…` and `http://…` as `ws://…`; anything else unchanged.
[[nodiscard]] std::string to_websocket_url(std::string_view url);

/// True for `localhost`, 127.0.0.0/8 and ::1 in their usual spelling; the host without brackets.
[[nodiscard]] bool is_loopback_host(std::string_view host) noexcept;

/// True when `url` is well formed and its host is loopback.
[[nodiscard]] bool is_loopback(std::string_view url);

/// True when scheme, host and port are the same.
[[nodiscard]] bool same_origin(const Url& a, const Url& b) noexcept;

/// The address that a `Location` header means, seen from `from` (RFC 3986 §5.2; every reference
/// that begins with a scheme, `//`, `/`, `?` or a path segment).
[[nodiscard]] Result<Url> resolve_reference(const Url& from, std::string_view location);

}  // namespace svc::http
