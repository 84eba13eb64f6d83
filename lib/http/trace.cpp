#include "http/trace.h"

#include <algorithm>
#include <array>

#include "base/masking.h"
#include "base/text.h"

namespace svc::http {
namespace {

/// Removes `user:password@` from URLs in `text`.
std::string mask_user_information(std::string text) {
  std::size_t from = 0;
  while ((from = text.find("//", from)) != std::string::npos) {
    from += 2;
    const std::size_t end = std::min(text.find_first_of("/?# '\"\t", from), text.size());
    const std::size_t at = text.rfind('@', end == 0 ? 0 : end - 1);
    if (at != std::string::npos && at >= from && at < end) text.replace(from, at - from, "***");
  }
  return text;
}

std::string mask_header(std::string text) {
  static constexpr std::array k_names{
      "authorization:", "proxy-authorization:", "cookie:", "set-cookie:"};
  const std::string lower = to_lower(text);
  const std::size_t begin = lower.find_first_not_of("* <>");
  if (begin == std::string::npos) return text;
  for (const std::string_view name : k_names) {
    if (lower.compare(begin, name.size(), name) == 0)
      return text.substr(0, begin + name.size()) + " ***";
    const std::size_t inside = lower.find("[" + std::string(name));
    if (inside != std::string::npos) return text.substr(0, inside + 1 + name.size()) + " ***]";
  }
  return text;
}

}  // namespace

std::string mask(std::string_view text, const Secrets& secrets) {
  std::string masked(text);
  if (!secrets.bearer.empty()) masked = mask_secret(std::move(masked), secrets.bearer, "***");
  return mask_header(mask_user_information(std::move(masked)));
}

void trace_lines(const std::function<void(std::string_view)>& sink, std::string_view prefix,
                 std::string_view text, const Secrets& secrets) {
  for (std::string_view line : split(text, '\n')) {
    while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) continue;
    sink(std::string(prefix) + visible(mask(line, secrets), Lines::Escape));
  }
}

}  // namespace svc::http
