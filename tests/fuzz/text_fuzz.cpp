// Terminal-safe text: no control sequence must remain, however the text is split.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/base64.h"
#include "base/masking.h"
#include "base/text.h"
#include "base/url.h"
#include "base/visible.h"

namespace {

void check_decoders(std::string_view text) {
  if (svc::percent_decode(text).size() > text.size()) std::abort();
  if (const auto bytes = svc::base64_decode(text); bytes && bytes->size() > text.size()) {
    std::abort();
  }
  const std::string masked = svc::mask_secret(std::string(text), "svc-Key1", "***");
  if (masked.find("svc-Key1") != std::string::npos) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string whole = svc::visible(text);
  if (svc::first_invalid_utf8(whole)) std::abort();
  for (const char c : whole) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t' && c != '\r') || byte == 0x7f) std::abort();
  }
  check_decoders(text);
  svc::VisibleStream stream;
  std::string pieces;
  for (std::size_t at = 0; at < size; at += 3) pieces += stream.feed(text.substr(at, 3));
  pieces += stream.finish();
  if (pieces != whole) std::abort();
  return 0;
}
