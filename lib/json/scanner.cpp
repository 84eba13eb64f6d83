#include "json/scanner.h"

#include <cstdint>
#include <cstring>

#include "base/text.h"

namespace svc::json_scan {
namespace {

// Bytes inside a string that need a closer look.
constexpr std::array<bool, 256> k_special = [] {
  std::array<bool, 256> special{};
  for (std::size_t byte = 0; byte < special.size(); ++byte) {
    special[byte] = byte < 0x20 || byte >= 0x7F || byte == '"' || byte == '\\';
  }
  return special;
}();

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

// `byte` in each of the eight bytes of a word.
constexpr std::uint64_t each_byte(std::uint64_t byte) noexcept {
  return byte * 0x0101'0101'0101'0101U;
}

// Whether one of the eight bytes is zero.
constexpr bool has_zero(std::uint64_t word) noexcept {
  return ((word - each_byte(1)) & ~word & each_byte(0x80)) != 0;
}

// Whether one of the eight bytes may be special.
constexpr bool has_special(std::uint64_t word) noexcept {
  const std::uint64_t high = word & each_byte(0x80);
  const std::uint64_t low = (word - each_byte(0x20)) & ~word & each_byte(0x80);
  return (high | low) != 0 || has_zero(word ^ each_byte('"')) || has_zero(word ^ each_byte('\\')) ||
         has_zero(word ^ each_byte(0x7F));
}

std::size_t skip_ordinary(sv text, std::size_t at) noexcept {
  for (std::uint64_t word = 0; at + sizeof word <= text.size(); at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    if (has_special(word)) break;
  }
  while (at < text.size() && !k_special[byte_at(text, at)]) ++at;
  return at;
}

std::size_t skip_digits(sv text, std::size_t at) noexcept {
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  return at;
}

// `at` is the backslash; the end of the escape, or where it goes wrong.
TokenEnd scan_escape(sv text, std::size_t at) noexcept {
  if (at + 1 >= text.size()) return {text.size(), "the string has no end"};
  const char c = text[at + 1];
  if (sv("\"\\/bfnrt").find(c) != sv::npos) return {at + 2};
  if (c != 'u') return {at, "unknown escape in a string; a backslash itself is written \\\\"};
  for (std::size_t i = at + 2; i < at + 6; ++i) {
    if (i >= text.size()) return {text.size(), "the string has no end"};
    if (!k_hex[byte_at(text, i)]) return {at, "\\u must be followed by four hexadecimal digits"};
  }
  return {at + 6};
}

std::string hexadecimal(char32_t code_point) {
  std::string out;
  for (unsigned shift = 24; shift > 0; shift -= 4) {
    const auto digit = (code_point >> (shift - 4)) & 0xFU;
    if (digit != 0 || !out.empty() || shift <= 16) out += "0123456789ABCDEF"[digit];
  }
  return "U+" + out;
}

bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

TokenEnd scan_string(sv text, std::size_t position, bool strict_utf8, StringShape& shape) noexcept {
  std::size_t at = position + 1;
  for (;;) {
    at = skip_ordinary(text, at);
    if (at == text.size()) return {at, "the string has no end"};
    const unsigned char c = byte_at(text, at);
    if (c == '"') return {at + 1};
    if (c == '\\') {
      const TokenEnd escape = scan_escape(text, at);
      if (escape.reason != nullptr) return escape;
      at = escape.end;
    } else if (c < 0x20) {
      return {at, "control character in a string; write it as an escape, such as \\n or \\u0000"};
    } else {
      shape.only_ascii = false;
      const utf8::Step step = utf8::step(text, at);
      const bool good = step.form == utf8::Form::Good;
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
  if (at - integer > 1 && text[integer] == '0') return {integer, "a number has no leading zeros"};
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

std::string found_at(sv text, std::size_t position) {
  constexpr std::size_t longest_word = 20;
  if (position >= text.size()) return "the end of the text";
  std::size_t end = position;
  while (end < text.size() && is_letter(text[end])) ++end;
  if (end > position)
    return "'" + excerpt(text.substr(position, end - position), longest_word) + "'";
  if (text[position] == '\'') return "a single quote (JSON takes double quotes)";
  const utf8::Step step = utf8::step(text, position);
  if (step.form != utf8::Form::Good) return "a byte that is not valid UTF-8";
  const sv bytes = text.substr(position, step.length);
  if (visible(bytes, Lines::Escape) != bytes) return hexadecimal(step.code_point);
  return "'" + std::string(bytes) + "'";
}

JsonTextFault fault_at(sv text, std::size_t offset, std::string reason) {
  JsonTextFault fault;
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
