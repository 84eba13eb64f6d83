// The head of an HTTP response, line by line, and the headers that decide what happens next: any
// bytes must give values within their limits or none.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/clock.h"
#include "base/text.h"
#include "client/download.h"
#include "client/download_part.h"
#include "http/head.h"
#include "http/retry.h"
#include "http/url.h"

namespace {

using namespace svc;

void check_url(std::string_view text) {
  const auto url = http::parse_url(text);
  if (!url) {
    if (url.error().message.empty()) std::abort();
  } else {
    const auto again = http::parse_url(url->text());
    if (!again || again->text() != url->text()) std::abort();
  }
  static const http::Url base = *http::parse_url("https://example.com/a/b?c");
  if (const auto next = http::resolve_reference(base, text)) {
    if (!http::parse_url(next->text())) std::abort();
  }
  if (const auto api = http::normalise_base_url(text)) {
    if (const auto twice = http::normalise_base_url(*api); !twice || *twice != *api) std::abort();
  }
  (void)http::normalise_realtime_url(text);
  if (name_in_url(text).find('/') == std::string::npos) return;
  if (text.find("%2") == std::string_view::npos) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  http::HeadReader reader;
  for (const std::string_view line : split(text, '\n')) {
    check_url(line);
    if (const auto range = parse_content_range(line)) {
      if (range->first > range->last || (range->total && range->last >= *range->total)) {
        std::abort();
      }
    }
    (void)parse_http_date(line);
    (void)parse_rfc3339(line);
    if (!reader.line(line)) return 0;
  }
  const http::HttpHead& head = reader.head();
  (void)http::content_length(head);
  (void)validator_of(head);
  (void)disposition_name(head);
  const auto wait = http::parse_retry_after(head.headers, 1'800'000'000);
  if (wait && wait->count() <= 0) std::abort();
  return 0;
}
