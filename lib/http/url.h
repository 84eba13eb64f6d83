// URLs: the part of RFC 3986 needed by a client of one service. Stricter than libcurl, so that no
// URL can be interpreted in two ways.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/message.h"
#include "base/result.h"

namespace svc::http {

/// An absolute http, https, ws or wss URL. The fragment is dropped.
struct Url {
  std::string scheme;      ///< lower case
  std::string host;        ///< lower case, an IPv6 address without its brackets
  std::uint16_t port = 0;  ///< the scheme's default if none is given
  std::string path{};      ///< with its leading slash; empty if absent
  std::string query{};     ///< with its question mark; empty if absent

  [[nodiscard]] bool secure() const noexcept { return scheme == "https" || scheme == "wss"; }
  /// `scheme://host`, with the port unless it is the scheme's default.
  [[nodiscard]] std::string origin() const;
  /// `host:port`, for messages.
  [[nodiscard]] std::string authority() const;
  [[nodiscard]] std::string text() const { return origin() + path + query; }
};

/// Parses an absolute URL. Usage, with a message free of secrets, for a missing or unsupported
/// scheme, user information, no host, anything but letters, digits, `.`, `-` and `_` in the host
/// (so no `%2F`), a port outside 1 to 65535, or a space or control character anywhere.
[[nodiscard]] Result<Url> parse_url(std::string_view text);

/// Normalises the base URL of an API: removes trailing slashes and a trailing `/v1`, which is part
/// of every path. Usage as parse_url(), and for a query, a scheme other than http and https, and
/// plain http to anything but loopback.
[[nodiscard]] Result<std::string> normalise_base_url(std::string_view text);

/// Does the same for the base URL of the WebSocket operations: accepts ws and wss as well, and
/// always returns one of those.
[[nodiscard]] Result<std::string> normalise_realtime_url(std::string_view text);

/// `https://…` as `wss://…` and `http://…` as `ws://…`; anything else unchanged.
[[nodiscard]] std::string to_websocket_url(std::string_view url);

/// True for `localhost`, 127.0.0.0/8 and ::1 in their usual spelling. The host has no brackets.
[[nodiscard]] bool is_loopback_host(std::string_view host) noexcept;

/// Whether `url` is well formed and its host is loopback.
[[nodiscard]] bool is_loopback(std::string_view url);

/// Whether scheme, host and port are equal.
[[nodiscard]] bool same_origin(const Url& a, const Url& b) noexcept;

/// Resolves a `Location` header relative to `from` (RFC 3986 §5.2; any reference that starts with a
/// scheme, `//`, `/`, `?` or a path segment).
[[nodiscard]] Result<Url> resolve_reference(const Url& from, std::string_view location);

}  // namespace svc::http
