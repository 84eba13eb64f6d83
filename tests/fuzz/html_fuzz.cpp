// HTML: any bytes must give UTF-8 text or an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/text.h"
#include "emulator/api/files/store.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto text = svc::emulator::extract_text("text/html", bytes);
  if (text && svc::first_invalid_utf8(*text)) std::abort();
  if (!text && text.error().message.empty()) std::abort();
  return 0;
}
