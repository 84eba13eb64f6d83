// Trace lines for -v, with secrets masked and control characters escaped.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace svc::http {

/// Secrets that must not appear in messages or traces.
struct Secrets {
  std::string bearer{};
};

/// Replaces secrets in `text` with `***`: the key, the user information of URLs
/// (`//user:password@`) and the values of credential headers (Authorization, Proxy-Authorization,
/// Cookie, Set-Cookie; also in the form `[authorization: …]` that libcurl prints for HTTP/2).
[[nodiscard]] std::string mask(std::string_view text, const Secrets& secrets);

/// Passes each line of `text` to `sink`, prefixed with `prefix`, masked and escaped. Skips empty
/// lines.
void trace_lines(const std::function<void(std::string_view)>& sink, std::string_view prefix,
                 std::string_view text, const Secrets& secrets);

}  // namespace svc::http
