#include "base/message.h"

#include "base/text.h"

namespace svc {

std::optional<std::string_view> find_header(std::span<const Header> headers,
                                            std::string_view name) {
  for (const Header& header : headers) {
    if (equals_ignore_case(header.name, name)) return header.value;
  }
  return std::nullopt;
}

void set_default_header(std::vector<Header>& headers, std::string_view name,
                        std::string_view value) {
  if (find_header(headers, name)) return;
  headers.insert(headers.begin(), {std::string(name), std::string(value)});
}

}  // namespace svc
