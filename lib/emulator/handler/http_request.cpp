#include "emulator/handler/http_request.h"

#include <algorithm>

#include "base/text.h"
#include "base/url.h"

namespace svc::emulator {

std::string_view HttpRequest::raw_path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

std::string_view HttpRequest::header(std::string_view name) const {
  const Header* found = find_header(headers, name);
  return found == nullptr ? std::string_view{} : std::string_view(found->value);
}

const Header* find_header(const std::vector<Header>& headers, std::string_view name) {
  const auto found = std::ranges::find_if(
      headers, [&](const Header& header) { return equals_ignore_case(header.name, name); });
  return found == headers.end() ? nullptr : &*found;
}

std::vector<Header> parse_query(std::string_view target) {
  std::vector<Header> query;
  const auto mark = target.find('?');
  if (mark == std::string_view::npos) return query;
  const std::string text = replace_all(std::string(target.substr(mark + 1)), "+", " ");
  for (const sv pair : split(text, '&')) {
    if (pair.empty()) continue;
    const auto equals = pair.find('=');
    const sv value = equals == sv::npos ? sv{} : pair.substr(equals + 1);
    query.push_back({percent_decode(pair.substr(0, equals)), percent_decode(value)});
  }
  return query;
}

}  // namespace svc::emulator
