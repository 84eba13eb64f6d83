#include "json/repair.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "json/scanner.h"

namespace svc {
namespace {

using json_scan::code_unit;
using json_scan::Token;

constexpr std::size_t k_escape_bytes = 6;  // \\uXXXX
constexpr sv k_largest = "1.7976931348623157e308";

bool is_high_surrogate(std::optional<char32_t> unit) {
  return unit && *unit >= 0xD800 && *unit < 0xDC00;
}
bool is_low_surrogate(std::optional<char32_t> unit) {
  return unit && *unit >= 0xDC00 && *unit < 0xE000;
}

/// Whether a number overflows a double; false for numbers that underflow.
bool overflows_double(sv number) {
  constexpr std::size_t min_digits = 309;
  if (number.size() < min_digits && number.find_first_of("eE") == sv::npos) return false;
  double value = 0;
  const auto read = read_double(number, value);
  if (read.ec != std::errc::result_out_of_range) return false;
  const std::size_t e = std::min(number.find_first_of("eE"), number.size());
  const sv mantissa = number.substr(number.front() == '-' ? 1 : 0, e - (number.front() == '-'));
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = std::min(mantissa.find_first_of("123456789"), mantissa.size());
  // The position of the first digit, before (above 0) or after the decimal point.
  const double places = static_cast<double>(point) - static_cast<double>(first);
  sv exponent = number.substr(std::min(e + 1, number.size()));
  const bool negative = exponent.starts_with('-');
  // Unlike the rest of a number, an exponent may have leading zeros.
  exponent.remove_prefix(std::min(exponent.find_first_not_of("+-0"), exponent.size()));
  if (exponent.size() > 300) return !negative;
  const double shift = parse_number(exponent).value_or(0);
  return places + (negative ? -shift : shift) > 0;
}

/// Appends a string, or the content of one, with lone surrogates and ill-formed UTF-8 replaced.
void append_repaired(std::string& out, sv string) {
  const std::string clean = replace_invalid_utf8(string);
  const sv text = clean;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t escape = std::min(text.find('\\', at), text.size());
    out += text.substr(at, escape - at);
    if (escape == text.size()) break;
    const auto unit = code_unit(text, escape);
    std::size_t length = unit ? k_escape_bytes : 2;
    if (is_high_surrogate(unit) && is_low_surrogate(code_unit(text, escape + k_escape_bytes))) {
      length = 2 * k_escape_bytes;
      out += text.substr(escape, length);
    } else if (is_high_surrogate(unit) || is_low_surrogate(unit)) {
      out += "\\ufffd";
    } else {
      out += text.substr(escape, length);
    }
    at = escape + length;
  }
}

}  // namespace

std::string repair_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  std::size_t copied = 0;  // the text up to here has been copied to `out`
  json_scan::Scanner<json_scan::Input::AnyBytes> scanner(json);
  for (;;) {
    const Token token = scanner.next();
    if (token == Token::End || token == Token::Fault) break;
    const bool string = token == Token::Name || token == Token::String;
    const bool needs_repair = string && (scanner.shape().escaped || !scanner.shape().well_formed);
    const bool overflows = token == Token::Number && overflows_double(scanner.text());
    if (!needs_repair && !overflows) continue;
    out += json.substr(copied, scanner.begin() - copied);
    copied = scanner.end();
    if (needs_repair) {
      append_repaired(out, scanner.text());
    } else {
      out.append(scanner.text().starts_with('-') ? "-" : "").append(k_largest);
    }
  }
  return out.append(json.substr(copied));
}

}  // namespace svc
