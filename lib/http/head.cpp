#include "http/head.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace svc::http {

std::optional<std::string_view> HttpHead::header(std::string_view name) const {
  return find_header(headers, name);
}

Result<bool> HeadReader::line(std::string_view text) {
  m_bytes += text.size();
  if (m_bytes > k_max_head_bytes)
    return Error{Fault::Network, fmt::format("the response headers are larger than {}",
                                             format_bytes(k_max_head_bytes))};
  if (m_complete) return false;
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  if (text.starts_with("HTTP/")) return status_line(text);
  if (text.empty()) return end_of_head();
  header_line(text);
  return false;
}

Result<bool> HeadReader::status_line(std::string_view text) {
  m_head = HttpHead{};
  const std::size_t space = std::min(text.find(' '), text.size());
  m_head.version = text.substr(5, space - 5);
  const auto status = parse_integer(trim(text.substr(space)).substr(0, 3));
  m_head.status = status && *status >= 100 ? static_cast<int>(*status) : 0;  // "-45" is none
  return false;
}

void HeadReader::header_line(std::string_view text) {
  const bool folded = text.front() == ' ' || text.front() == '\t';
  if (folded && !m_head.headers.empty()) {  // obsolete line folding, RFC 9112 §5.2
    m_head.headers.back().value += " ";
    m_head.headers.back().value += trim(text);
    return;
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return;
  m_head.headers.push_back(
      {std::string(trim(text.substr(0, colon))), std::string(trim(text.substr(colon + 1)))});
}

Result<bool> HeadReader::end_of_head() {
  if (m_head.status >= 100 && m_head.status < 200) return false;
  SVC_CHECK(content_length(m_head));
  m_complete = true;
  return true;
}

Result<std::optional<std::uint64_t>> content_length(const HttpHead& head) {
  std::optional<std::uint64_t> found;
  for (const Header& header : head.headers) {
    if (!equals_ignore_case(header.name, "content-length")) continue;
    for (const std::string_view piece : split(header.value, ',')) {
      const auto length = parse_integer(trim(piece));
      if (!length || *length < 0)
        return Error{Fault::Network, fmt::format("the response has an invalid Content-Length '{}'",
                                                 shown(header.value))};
      const auto value = static_cast<std::uint64_t>(*length);
      if (found && *found != value)
        return Error{Fault::Network,
                     fmt::format("the response has two different Content-Length values, {} and {}",
                                 *found, value)};
      found = value;
    }
  }
  return found;
}

}  // namespace svc::http
