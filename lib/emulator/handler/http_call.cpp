#include "emulator/handler/http_call.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace svc::emulator {

std::string_view HttpCall::raw_path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

std::string_view HttpCall::header(std::string_view name) const {
  const auto found = std::ranges::find_if(
      headers, [&](const Header& header) { return equals_ignore_case(header.name, name); });
  return found == headers.end() ? std::string_view{} : std::string_view(found->value);
}

std::string percent_decode(std::string_view text, bool plus_is_blank) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      unsigned value = 0;
      const char* first = text.data() + i + 1;
      if (std::from_chars(first, first + 2, value, 16).ptr == first + 2) {
        out += static_cast<char>(value);
        i += 2;
        continue;
      }
    }
    out += plus_is_blank && text[i] == '+' ? ' ' : text[i];
  }
  return out;
}

std::vector<Header> parse_query(std::string_view target) {
  std::vector<Header> query;
  const auto mark = target.find('?');
  if (mark == std::string_view::npos) return query;
  for (const sv pair : split(target.substr(mark + 1), '&')) {
    if (pair.empty()) continue;
    const auto equals = pair.find('=');
    const sv value = equals == sv::npos ? sv{} : pair.substr(equals + 1);
    query.push_back({percent_decode(pair.substr(0, equals), true), percent_decode(value, true)});
  }
  return query;
}

}  // namespace svc::emulator
