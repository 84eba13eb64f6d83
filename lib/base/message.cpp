#include "base/message.h"

#include "base/text.h"

namespace svc {

void set_default_header(std::vector<Header>& headers, std::string_view name,
                        std::string_view value) {
  for (const Header& header : headers) {
    if (equals_ignore_case(header.name, name)) return;
  }
  headers.insert(headers.begin(), {std::string(name), std::string(value)});
}

}  // namespace svc
