// Regular expressions in rules and schemas: must be safe and must terminate.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "json/pattern.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t line = bytes.find('\n');
  const auto pattern = svc::Pattern::compile(bytes.substr(0, line));
  if (!pattern) {
    if (pattern.error().message.empty()) std::abort();
    return 0;
  }
  const std::string_view text = line == std::string_view::npos ? bytes : bytes.substr(line + 1);
  if (pattern->find_in(text) != pattern->find_in(text)) std::abort();
  return 0;
}
