// Forms: the parts must lie in the body in order, and a complete form must have all of them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "emulator/api/files/store.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t line = bytes.find('\n');
  if (line == std::string_view::npos) return 0;
  const auto boundary = svc::emulator::form_boundary(bytes.substr(0, line));
  const std::string_view body = bytes.substr(line + 1);
  const auto parts = svc::emulator::parse_form(body, boundary.value_or("b"));
  if (!parts) return 0;
  const char* end = body.data();
  for (const auto& part : *parts) {
    if (part.data.data() < end) std::abort();
    end = part.data.data() + part.data.size();
    if (end > body.data() + body.size()) std::abort();
  }
  return 0;
}
