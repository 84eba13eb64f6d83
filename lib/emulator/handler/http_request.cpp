#include "emulator/handler/http_request.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/url.h"

namespace svc::emulator {
namespace {

// A test's name may follow them.
constexpr std::array<std::string_view, 2> k_demo_keys = {"svc-demo-key", "svc-demo-management-key"};

}  // namespace

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

void take_scope(HttpRequest& request) {
  request.scope = request.header("X-Test-Id");
  if (request.target.starts_with(k_scope_prefix)) {
    const std::size_t begin = k_scope_prefix.size();
    const std::size_t end =
        std::min(request.target.find_first_of("/?", begin), request.target.size());
    request.scope = percent_decode(request.target.substr(begin, end - begin));
    request.target.erase(0, end);
    if (!request.target.starts_with('/')) request.target.insert(0, "/");
  }
  constexpr std::string_view k_scheme = "Bearer ";
  for (Header& header : request.headers) {
    if (!equals_ignore_case(header.name, "Authorization")) continue;
    for (const std::string_view key : k_demo_keys) {
      const std::size_t size = k_scheme.size() + key.size();
      const bool named = header.value.size() > size + 1 && header.value[size] == '.' &&
                         equals_ignore_case(header.value.substr(0, k_scheme.size()), k_scheme) &&
                         std::string_view(header.value).substr(k_scheme.size()).starts_with(key);
      if (!named) continue;
      if (request.scope.empty()) request.scope = header.value.substr(size + 1);
      header.value.resize(size);
    }
  }
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
