// Lines for -v: what went over the wire, without its secrets and without its power over a terminal.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace svc::http {

/// What no message and no trace may show.
struct Secrets {
  std::string bearer{};
};

/// `text` with the key, the user information of addresses (`//user:password@`) and the values of
/// credential headers (Authorization, Proxy-Authorization, Cookie, Set-Cookie; also in the form
/// `[authorization: …]` that libcurl prints for HTTP/2) replaced by `***`.
[[nodiscard]] std::string mask(std::string_view text, const Secrets& secrets);

/// Hands `text`, which may be several lines, to `sink` line by line, each behind `prefix`, masked
/// and made visible. Empty lines are left out.
void trace_lines(const std::function<void(std::string_view)>& sink, std::string_view prefix,
                 std::string_view text, const Secrets& secrets);

}  // namespace svc::http
