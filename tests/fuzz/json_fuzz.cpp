// JSON as text: what is accepted can be laid out, and is then accepted again; the quick reader of
// chat chunks never disagrees with the checker.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/json_slices.h"
#include "base/json_text.h"
#include "client/plain_chunk.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool fine = !svc::check_json(text);
  svc::PlainChunk chunk;
  if (svc::read_plain_chunk(text, chunk) && !fine) std::abort();
  if (!fine) return 0;
  std::string once;
  const auto add = [&](std::string_view piece) { once += piece; };
  if (svc::reformat_json(text, {svc::JsonLayout::Compact}, add) || svc::check_json(once)) {
    std::abort();
  }
  std::size_t elements = 0;
  for (const std::string_view element : svc::json_elements(text)) {
    elements += svc::check_json(element) ? 1 : 0;
  }
  if (elements != 0) std::abort();
  return 0;
}
