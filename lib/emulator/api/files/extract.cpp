#include "emulator/api/files/extract.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace svc::emulator {
namespace {

bool is_text(sv data) {
  return data.find('\0') == sv::npos && !first_invalid_utf8(data);
}

sv media_type(sv content_type) {
  return trim(content_type.substr(0, content_type.find(';')));
}

}  // namespace

Result<std::string> extract_text(sv content_type, sv data) {
  constexpr sv k_byte_order_mark = "\xEF\xBB\xBF";
  const std::string media = to_lower(media_type(content_type));
  if (media == "application/pdf" || data.starts_with("%PDF-")) return pdf_text(data);
  if (is_text(data)) {
    if (data.starts_with(k_byte_order_mark)) data.remove_prefix(k_byte_order_mark.size());
    if (media == "text/html" || media == "application/xhtml+xml") return html_text(data);
    return std::string(data);
  }
  return usage_error(fmt::format(
      "No text can be extracted from this file of type {}: this emulator reads UTF-8 text, HTML "
      "and simple PDF documents.",
      media.empty() ? "unknown" : media));
}

}  // namespace svc::emulator
