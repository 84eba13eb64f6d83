#include "http/url.h"

#include <algorithm>
#include <array>
#include <optional>

#include <arpa/inet.h>
#include <fmt/format.h>

#include "base/text.h"
#include "base/url.h"

namespace svc::http {
namespace {

std::uint16_t default_port(std::string_view scheme) {
  return scheme == "https" || scheme == "wss" ? 443 : 80;
}

/// Prepares a URL for a message: without user information and control characters.
std::string shown_url(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const std::size_t begin = scheme == std::string_view::npos ? 0 : scheme + 3;
  const std::size_t end = std::min(url.find_first_of("/?#", begin), url.size());
  const std::size_t at = url.substr(0, end).rfind('@');
  std::string text(url);
  if (at != std::string_view::npos && at >= begin) text.replace(begin, at - begin, "***");
  return shown_message(text);
}

Error refuse(std::string_view url, std::string_view why, std::string hint = {}) {
  if (hint.empty()) hint = "Use a URL such as https://api.example.com";
  return usage_error(fmt::format("the URL '{}' {}", shown_url(url), why), std::move(hint));
}

bool has_forbidden_byte(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= 0x20 || byte == 0x7f || c == '\\' || c == '"' || c == '<' || c == '>' ||
           c == '^' || c == '`' || c == '{' || c == '|' || c == '}';
  });
}

bool is_host_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_' ||
         byte >= 0x80;
}

bool is_ipv6(std::string_view host) {
  in6_addr address{};
  return inet_pton(AF_INET6, std::string(host).c_str(), &address) == 1;
}

/// Parses the host in `authority` and returns its length; nothing if it is invalid.
std::optional<std::size_t> take_host(std::string_view authority, std::string& host) {
  if (!authority.empty() && authority.front() == '[') {
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos || !is_ipv6(authority.substr(1, end - 1)))
      return std::nullopt;
    host = to_lower(authority.substr(1, end - 1));
    return end + 1;
  }
  const std::size_t end = std::min(authority.find(':'), authority.size());
  host = to_lower(authority.substr(0, end));
  if (host.empty() || host.front() == '.' || first_invalid_utf8(host) ||
      !std::all_of(host.begin(), host.end(), is_host_byte))
    return std::nullopt;
  return end;
}

Result<Url> parse_authority(std::string_view text, std::string_view authority, Url url) {
  const std::string where = url.scheme + "://";
  if (authority.find('@') != std::string_view::npos)
    return refuse(text, "contains credentials, which would end up in logs",
                  "Remove everything up to the '@'; keys come from the environment or the "
                  "profile.");
  const auto host_size = take_host(authority, url.host);
  if (!host_size) return refuse(text, "has no valid host name");
  authority.remove_prefix(*host_size);
  url.port = default_port(url.scheme);
  if (authority.empty()) return url;
  if (authority.front() != ':') return refuse(text, "has no valid host name");
  authority.remove_prefix(1);
  const bool digits =
      std::all_of(authority.begin(), authority.end(), [](char c) { return c >= '0' && c <= '9'; });
  const auto port = digits && authority.size() <= 6 ? parse_integer(authority) : std::nullopt;
  if (!port || *port < 1 || *port > 65535)
    return refuse(text,
                  fmt::format("has an invalid port '{}'; must be 1 to 65535", visible(authority)));
  url.port = static_cast<std::uint16_t>(*port);
  return url;
}

/// Removes trailing slashes and each trailing "/v1" with the slashes before it, so that a
/// normalised URL stays as it is.
std::string base_path(std::string_view path) {
  const auto trim_slashes = [&path] {
    while (!path.empty() && path.back() == '/') path.remove_suffix(1);
  };
  trim_slashes();
  while (path.ends_with("/v1")) {
    path.remove_suffix(3);
    trim_slashes();
  }
  return std::string(path);
}

Result<Url> parse_base(std::string_view text) {
  SVC_TRY(url, parse_url(text));
  if (!url.query.empty()) return refuse(text, "has a query, which is not allowed in a base URL");
  if (!url.secure() && !is_loopback_host(url.host))
    return refuse(text, "is not encrypted; plain http is allowed only to this machine",
                  fmt::format("Use {}://{}", url.scheme == "ws" ? "wss" : "https", url.host));
  url.path = base_path(url.path);
  return std::move(url);
}

/// RFC 3986 §5.2.4.
std::string remove_dot_segments(std::string_view path) {
  std::vector<std::string_view> kept;
  const auto segments = split(path.substr(path.empty() ? 0 : 1), '/');
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const bool last = i + 1 == segments.size();
    if (segments[i] == "..") {
      if (!kept.empty()) kept.pop_back();
      if (last) kept.emplace_back();
    } else if (segments[i] == ".") {
      if (last) kept.emplace_back();
    } else {
      kept.push_back(segments[i]);
    }
  }
  return "/" + join(kept, "/");
}

}  // namespace

std::string Url::origin() const {
  const bool bare = port == default_port(scheme);
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return bare ? fmt::format("{}://{}", scheme, name)
              : fmt::format("{}://{}:{}", scheme, name, port);
}

std::string Url::authority() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

Result<Url> parse_url(std::string_view text) {
  if (text.empty()) return usage_error("the URL is empty", "Use https:// and a host name.");
  if (has_forbidden_byte(text))
    return refuse(text, "contains a space or another invalid character");
  const std::size_t scheme_end = text.find("://");
  if (scheme_end == std::string_view::npos || scheme_end == 0 ||
      text.find_first_of("/?#@") < scheme_end)
    return refuse(text, "has no scheme",
                  fmt::format("Use https://{}", shown_url(text.substr(0, text.find('/')))));
  Url url;
  url.scheme = to_lower(text.substr(0, scheme_end));
  constexpr std::array k_schemes{"https", "http", "wss", "ws"};
  if (std::find(k_schemes.begin(), k_schemes.end(), url.scheme) == k_schemes.end())
    return refuse(text, "has an unsupported scheme; use https");
  std::string_view rest = text.substr(scheme_end + 3);
  rest = rest.substr(0, rest.find('#'));
  const std::size_t authority_end = std::min(rest.find_first_of("/?"), rest.size());
  const std::string_view authority = rest.substr(0, authority_end);
  rest.remove_prefix(authority_end);
  const std::size_t path_end = std::min(rest.find('?'), rest.size());
  url.path = rest.substr(0, path_end);
  url.query = rest.substr(path_end);
  return parse_authority(text, authority, std::move(url));
}

Result<std::string> normalise_base_url(std::string_view text) {
  SVC_TRY(url, parse_base(trim(text)));
  if (url.scheme != "https" && url.scheme != "http")
    return refuse(text, "is a WebSocket URL; an https URL is required");
  return url.text();
}

Result<std::string> normalise_realtime_url(std::string_view text) {
  SVC_TRY(url, parse_base(trim(text)));
  if (url.scheme == "https") url.scheme = "wss";
  if (url.scheme == "http") url.scheme = "ws";
  return url.text();
}

std::string to_websocket_url(std::string_view url) {
  if (url.starts_with("https://")) return "wss" + std::string(url.substr(5));
  if (url.starts_with("http://")) return "ws" + std::string(url.substr(4));
  return std::string(url);
}

bool is_loopback_host(std::string_view host) noexcept {
  if (equals_ignore_case(host, "localhost")) return true;
  std::array<char, INET6_ADDRSTRLEN + 1> text{};
  if (host.size() >= text.size()) return false;
  std::copy(host.begin(), host.end(), text.begin());
  in_addr v4{};
  if (inet_pton(AF_INET, text.data(), &v4) == 1) return (ntohl(v4.s_addr) >> 24U) == 127;
  in6_addr v6{};
  return inet_pton(AF_INET6, text.data(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

bool is_loopback(std::string_view url) {
  const auto parsed = parse_url(url);
  return parsed && is_loopback_host(parsed->host);
}

bool same_origin(const Url& a, const Url& b) noexcept {
  return a.scheme == b.scheme && a.host == b.host && a.port == b.port;
}

Result<Url> resolve_reference(const Url& from, std::string_view location) {
  location = trim(location);
  const std::size_t colon = location.find(':');
  if (colon != std::string_view::npos && location.find_first_of("/?#") > colon)
    return parse_url(location);
  if (location.starts_with("//")) return parse_url(from.scheme + ":" + std::string(location));
  location = location.substr(0, location.find('#'));
  Url url = from;
  if (has_forbidden_byte(location)) return refuse(location, "contains an invalid character");
  if (location.empty()) return url;
  const std::size_t path_end = std::min(location.find('?'), location.size());
  url.query = location.substr(path_end);
  const std::string_view path = location.substr(0, path_end);
  if (path.empty()) return url;
  const std::string directory = from.path.substr(0, from.path.rfind('/') + 1);
  url.path = remove_dot_segments(path.front() == '/' ? std::string(path)
                                 : directory.empty() ? "/" + std::string(path)
                                                     : directory + std::string(path));
  return url;
}

}  // namespace svc::http
