#include "json/repair.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace svc {
namespace {

constexpr std::size_t k_escape_bytes = 6;  // \uXXXX
constexpr sv k_largest = "1.7976931348623157e308";

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

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Of a number that is no double: whether it is too large, and not too small.
bool is_huge(sv number) {
  double value = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
  if (read.ec != std::errc::result_out_of_range) return false;
  const std::size_t e = std::min(number.find_first_of("eE"), number.size());
  const sv mantissa = number.substr(number.front() == '-' ? 1 : 0, e - (number.front() == '-'));
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = std::min(mantissa.find_first_of("123456789"), mantissa.size());
  // Where the first digit stands, before (above 0) or behind the point.
  const double places = static_cast<double>(point) - static_cast<double>(first);
  sv exponent = number.substr(std::min(e + 1, number.size()));
  const bool negative = exponent.starts_with('-');
  // Zeros may lead there, as nowhere else in a number.
  exponent.remove_prefix(std::min(exponent.find_first_not_of("+-0"), exponent.size()));
  if (exponent.size() > 300) return !negative;
  const double shift = parse_number(exponent).value_or(0);
  return places + (negative ? -shift : shift) > 0;
}

std::string bound_numbers(std::string text) {
  std::string out;
  std::size_t kept = 0;
  bool inside = false;  // of a string
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (inside && c == '\\') ++at;
    if (c == '"') inside = !inside;
    if (inside || (c != '-' && !is_digit(c))) continue;
    const std::size_t end = std::min(text.find_first_not_of("0123456789+-.eE", at), text.size());
    if (is_huge(sv(text).substr(at, end - at))) {
      out.append(text, kept, at - kept).append(c == '-' ? "-" : "").append(k_largest);
      kept = end;
    }
    at = end - 1;
  }
  if (kept == 0) return text;
  return out.append(text, kept);
}

}  // namespace

std::string mend_json(std::string_view json) {
  const std::string clean = bound_numbers(replace_invalid_utf8(json));
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
