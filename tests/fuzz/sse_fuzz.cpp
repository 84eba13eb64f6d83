// The event stream parser: any bytes must give the same events however they are split.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "http/sse.h"

namespace {

std::string events_of(std::string_view bytes, std::size_t step) {
  std::string seen;
  svc::http::SseParser parser(1U << 16U);
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    const auto fed = parser.feed(bytes.substr(at, step), [&](const svc::http::SseEvent& event) {
      seen.append(event.event).append(1, '\0').append(event.data).append(1, '\0');
      seen.append(event.id).append(1, '\n');
      return svc::Result<void>();
    });
    if (!fed) return seen + "error";
  }
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t step = 1 + data[0] % 16;
  if (events_of(bytes, step) != events_of(bytes, bytes.size())) std::abort();
  return 0;
}
