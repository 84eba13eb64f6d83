#include "base/json_mend.h"

#include <charconv>
#include <optional>

#include "base/text.h"

namespace svc {
namespace {

constexpr std::size_t k_escape_bytes = 6;  // \uXXXX

/// The code unit of an escape that begins at `at`, or nothing when none does.
std::optional<unsigned> code_unit(sv text, std::size_t at) {
  if (text.substr(at, 2) != "\\u" || text.size() - at < k_escape_bytes) return std::nullopt;
  unsigned unit = 0;
  const char* end = text.data() + at + k_escape_bytes;
  const auto read = std::from_chars(text.data() + at + 2, end, unit, 16);
  return read.ptr == end ? std::optional<unsigned>(unit) : std::nullopt;
}

bool is_high(std::optional<unsigned> unit) {
  return unit && *unit >= 0xD800 && *unit < 0xDC00;
}
bool is_low(std::optional<unsigned> unit) {
  return unit && *unit >= 0xDC00 && *unit < 0xE000;
}

}  // namespace

std::string mend_json(std::string_view json) {
  const std::string clean = replace_invalid_utf8(json);
  const sv text = clean;
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t escape = text.find('\\', at);
    out += text.substr(at, escape - at);
    if (escape == sv::npos) break;
    const auto unit = code_unit(text, escape);
    std::size_t length = unit ? k_escape_bytes : 2;
    if (is_high(unit) && is_low(code_unit(text, escape + k_escape_bytes))) {
      length = 2 * k_escape_bytes;
      out += text.substr(escape, length);
    } else if (is_high(unit) || is_low(unit)) {
      out += "\\ufffd";
    } else {
      out += text.substr(escape, length);
    }
    at = escape + length;
  }
  return out;
}

}  // namespace svc
