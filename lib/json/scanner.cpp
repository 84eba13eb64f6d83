#include "json/scanner.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "base/text.h"
#include "base/utf8.h"

namespace svc::json_scan {
namespace {

constexpr std::array<bool, 256> k_hex = [] {
  std::array<bool, 256> hex{};
  for (const char c : std::string_view("0123456789abcdefABCDEF")) {
    hex[static_cast<unsigned char>(c)] = true;
  }
  return hex;
}();

unsigned char byte_at(sv text, std::size_t at) noexcept {
  return static_cast<unsigned char>(text[at]);
}

std::size_t skip_digits(sv text, std::size_t at) noexcept {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

// `at` is the position of the backslash. Returns the end of the escape, or the position of the
// error.
TokenEnd scan_escape(sv text, std::size_t at) noexcept {
  if (at + 1 >= text.size()) return {text.size(), "unterminated string"};
  const char c = text[at + 1];
  if (sv("\"\\/bfnrt").find(c) != sv::npos) return {at + 2};
  if (c != 'u') return {at, "unknown escape in a string; write a backslash as \\\\"};
  for (std::size_t i = at + 2; i < at + 6; ++i) {
    if (i >= text.size()) return {text.size(), "unterminated string"};
    if (!k_hex[byte_at(text, i)]) return {at, "\\u must be followed by four hexadecimal digits"};
  }
  return {at + 6};
}

/// Appends the decoded escape at `at` and returns the position after it.
std::size_t append_escape(std::string& out, sv text, std::size_t at) {
  constexpr sv names = "bfnrt";
  constexpr sv values = "\b\f\n\r\t";
  const std::optional<char32_t> unit = code_unit(text, at);
  if (!unit) {
    const char c = text[at + 1];
    const std::size_t index = names.find(c);
    out += index == sv::npos ? c : values[index];
    return at + 2;
  }
  const bool surrogate = *unit >= 0xD800 && *unit < 0xE000;
  const std::optional<char32_t> low =
      *unit < 0xDC00 && surrogate ? code_unit(text, at + 6) : std::nullopt;
  if (low && *low >= 0xDC00 && *low < 0xE000) {
    append_utf8(out, 0x10000 + ((*unit - 0xD800) << 10U) + (*low - 0xDC00));
    return at + 12;
  }
  append_utf8(out, surrogate ? utf8::k_replacement : *unit);
  return at + 6;
}

}  // namespace

TokenEnd scan_string(sv text, std::size_t position, bool strict_utf8, StringShape& shape) noexcept {
  std::size_t at = position + 1;
  for (;;) {
    at = skip_until<Stop::Special>(text, at);
    if (at == text.size()) return {at, "unterminated string"};
    const unsigned char c = byte_at(text, at);
    if (c == '"') return {at + 1};
    if (c == '\\') {
      const TokenEnd escape = scan_escape(text, at);
      if (escape.reason != nullptr) return escape;
      at = escape.end;
      shape.escaped = true;
    } else if (c < 0x20) {
      return {at, "control character in a string; use an escape, such as \\n or \\u0000"};
    } else {
      shape.only_ascii = false;
      const utf8::Step step = utf8::step(text, at);
      const bool good = step.validity == utf8::Validity::Valid;
      if (strict_utf8 && !good) return {at, "the text is not valid UTF-8"};
      shape.well_formed = shape.well_formed && good;
      at += step.length;
    }
  }
}

TokenEnd scan_number(sv text, std::size_t position) noexcept {
  std::size_t at = position;
  if (text[at] == '-') ++at;
  const std::size_t integer = at;
  at = skip_digits(text, at);
  if (at == integer) return {at, "expected a digit after '-'"};
  if (at - integer > 1 && text[integer] == '0')
    return {integer, "leading zeros are not allowed in a number"};
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = ++at;
    at = skip_digits(text, at);
    if (at == fraction) return {at, "expected a digit after '.'"};
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t exponent = at;
    at = skip_digits(text, at);
    if (at == exponent) return {at, "expected a digit in the exponent"};
  }
  return {at};
}

std::optional<char32_t> code_unit(sv text, std::size_t at) noexcept {
  if (text.substr(std::min(at, text.size()), 2) != "\\u" || text.size() - at < 6)
    return std::nullopt;
  char32_t unit = 0;
  for (const char c : text.substr(at + 2, 4)) {
    if (!k_hex[static_cast<unsigned char>(c)]) return std::nullopt;
    unit = unit << 4U | static_cast<char32_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return unit;
}

void append_decoded(std::string& out, sv inside) {
  for (std::size_t at = 0; at < inside.size();) {
    const std::size_t escape = std::min(inside.find('\\', at), inside.size());
    out += inside.substr(at, escape - at);
    if (escape + 1 >= inside.size()) return;
    at = append_escape(out, inside, escape);
  }
}

const char* expectation(Expect expect, bool in_object) noexcept {
  switch (expect) {
    case Expect::Value:
      return "a value";
    case Expect::FirstValue:
      return "a value or ']'";
    case Expect::Name:
      return "a name in double quotes";
    case Expect::FirstName:
      return "a name in double quotes or '}'";
    case Expect::Colon:
      return "':' after the name";
    case Expect::Comma:
      return in_object ? "',' or '}'" : "',' or ']'";
    case Expect::End:
      break;
  }
  return "the end of the text";
}

std::string describe_at(sv text, std::size_t position) {
  constexpr std::size_t longest_word = 20;
  if (position >= text.size()) return "the end of the text";
  std::size_t end = position;
  while (end < text.size() && is_letter(text[end])) ++end;
  if (end > position)
    return "'" + excerpt(text.substr(position, end - position), longest_word) + "'";
  if (text[position] == '\'') return "a single quote (JSON requires double quotes)";
  const utf8::Step step = utf8::step(text, position);
  if (step.validity != utf8::Validity::Valid) return "a byte that is not valid UTF-8";
  const sv bytes = text.substr(position, step.length);
  if (visible(bytes, Lines::Escape) != bytes) {
    return fmt::format("U+{:04X}", static_cast<std::uint32_t>(step.code_point));
  }
  return "'" + std::string(bytes) + "'";
}

JsonParseError fault_at(sv text, std::size_t offset, std::string reason) {
  JsonParseError fault;
  fault.offset = offset;
  fault.reason = std::move(reason);
  std::size_t line_start = text.starts_with("\xEF\xBB\xBF") && offset >= 3 ? 3 : 0;
  for (std::size_t at = line_start; at < offset; ++at) {
    const bool line_end = text[at] == '\n' || (text[at] == '\r' && text.substr(at + 1, 1) != "\n");
    if (!line_end) continue;
    ++fault.line;
    line_start = at + 1;
  }
  fault.column = offset - line_start + 1;
  return fault;
}

}  // namespace svc::json_scan
