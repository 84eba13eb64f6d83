// Names that a server suggests. They are not to be trusted: see safe_file_name().
#include "base/text.h"
#include "base/url.h"
#include "client/download.h"

namespace svc {
namespace {

/// A token, or a quoted string with its escapes undone; `rest` goes on behind it.
std::string take_value(sv& rest) {
  rest = trim(rest);
  std::string value;
  if (!rest.starts_with('"')) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    value = trim(rest.substr(0, end));
    rest.remove_prefix(end);
    return value;
  }
  std::size_t at = 1;
  for (; at < rest.size() && rest[at] != '"'; ++at) {
    if (rest[at] == '\\' && at + 1 < rest.size()) ++at;
    value += rest[at];
  }
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return value;
}

/// `UTF-8''a%20b` (RFC 8187); "" for another character set.
std::string extended(sv value) {
  const std::size_t first = value.find('\'');
  const std::size_t second = first == sv::npos ? first : value.find('\'', first + 1);
  if (second == sv::npos || !equals_ignore_case(value.substr(0, first), "utf-8")) return {};
  return percent_decoded(value.substr(second + 1));
}

}  // namespace

std::string disposition_name(const http::HttpHead& head) {
  sv rest = head.header("content-disposition").value_or("");
  std::string plain;
  std::string wide;
  while (true) {
    const std::size_t semicolon = rest.find(';');
    if (semicolon == sv::npos) break;
    rest.remove_prefix(semicolon + 1);
    const std::size_t equals = rest.find_first_of("=;");
    if (equals == sv::npos) break;
    if (rest[equals] == ';') continue;
    const std::string name = to_lower(trim(rest.substr(0, equals)));
    rest.remove_prefix(equals + 1);
    std::string value = take_value(rest);
    if (name == "filename" && plain.empty()) plain = std::move(value);
    if (name == "filename*" && wide.empty()) wide = extended(value);
  }
  return wide.empty() ? plain : wide;
}

std::string name_in_url(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const std::size_t host = url.find("://");
  if (host != sv::npos) url.remove_prefix(host + 3);
  const std::size_t slash = url.rfind('/');
  return slash == sv::npos ? std::string() : percent_decoded(url.substr(slash + 1));
}

}  // namespace svc
