#include "http/check.h"

#include <algorithm>
#include <array>
#include <variant>

#include <fmt/format.h>

#include "base/text.h"

namespace svc::http {
namespace {

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
}

Result<void> check_header(const Header& header) {
  if (!is_token(header.name))
    return usage_error(fmt::format("'{}' is not a valid header name", shown(header.name)),
                       "Use --header 'Name: value'.");
  if (has_control(header.value))
    return usage_error(
        fmt::format("the value of the header {} contains a line break or another control character",
                    header.name),
        "A header value must be a single line.");
  constexpr std::array k_framing{"content-length", "transfer-encoding", "host", "connection",
                                 "expect"};
  const bool framing = std::any_of(k_framing.begin(), k_framing.end(), [&](const char* name) {
    return equals_ignore_case(header.name, name);
  });
  if (framing)
    return usage_error(fmt::format("the header {} cannot be overridden", header.name),
                       "Remove it; svc sets it from the request.");
  return {};
}

Result<void> check_parts(const Payload& body) {
  const auto* parts = std::get_if<std::vector<Part>>(&body);
  if (parts == nullptr) return {};
  for (const Part& part : *parts) {
    if (has_control(part.name) || has_control(part.content_type))
      return usage_error(
          fmt::format("the form field '{}' contains a control character in its name or type",
                      shown(part.name)),
          "Remove it.");
  }
  return {};
}

}  // namespace

Result<void> check_key(std::string_view key) {
  if (key.empty()) return {};
  const bool fine = std::all_of(key.begin(), key.end(), [](char c) {
    return c > 0x20 && c < 0x7f && c != '"' && c != '\'' && c != '\\' && c != ',';
  });
  if (fine) return {};
  return usage_error(
      "the API key contains an invalid character: a space, quote, comma, backslash, line break, "
      "control or non-ASCII character",
      "Set the key again, without quotes or a trailing line break.");
}

Result<Url> check_request(const HttpRequest& request) {
  if (!is_token(request.method))
    return usage_error(fmt::format("'{}' is not an HTTP method", shown(request.method)),
                       "Use GET, POST, PUT, PATCH or DELETE.");
  SVC_TRY(url, parse_url(request.url));
  if (url.scheme != "https" && url.scheme != "http")
    return usage_error(fmt::format("'{}' is not an http URL", shown(request.url)), "Use https://");
  if (url.scheme == "http" && !is_loopback_host(url.host))
    return usage_error(fmt::format("plain http to {} is refused: it would send the key unencrypted",
                                   visible(url.authority(), Lines::Escape)),
                       "Use https://; plain http is allowed only to this machine.");
  SVC_CHECK(check_key(request.bearer));
  for (const Header& header : request.headers) SVC_CHECK(check_header(header));
  SVC_CHECK(check_parts(request.body));
  return std::move(url);
}

bool is_credential_header(std::string_view name) noexcept {
  return equals_ignore_case(name, "authorization") ||
         equals_ignore_case(name, "proxy-authorization") || equals_ignore_case(name, "cookie");
}

bool is_token(std::string_view text) {
  constexpr std::string_view k_marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           k_marks.find(c) != std::string_view::npos;
  });
}

}  // namespace svc::http
