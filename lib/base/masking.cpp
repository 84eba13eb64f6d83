#include "base/masking.h"

#include <algorithm>
#include <array>

#include "base/base64.h"
#include "base/text.h"

namespace svc {
namespace {

/// Whether these are the hexadecimal digits of `c`.
bool is_code_of(std::string_view digits, char c) {
  unsigned value = 0;
  for (const char digit : digits) {
    const bool decimal = digit >= '0' && digit <= '9';
    const char lower = static_cast<char>(digit | 0x20);
    if (!decimal && (lower < 'a' || lower > 'f')) return false;
    value = value * 16 + static_cast<unsigned>(decimal ? digit - '0' : lower - 'a' + 10);
  }
  return value == static_cast<unsigned char>(c);
}

/// The length of the character reference of HTML that `text` begins with, if it stands for `c`.
std::size_t length_of_reference(std::string_view text, char c) {
  constexpr std::size_t k_max = 10;
  const std::size_t end = text.substr(0, k_max).find(';');
  if (end == std::string_view::npos || !text.starts_with("&#")) return 0;
  const std::string_view digits = text.substr(2, end - 2);
  const bool stands = digits.starts_with('x') || digits.starts_with('X')
                          ? is_code_of(digits.substr(1), c)
                          : parse_integer(digits) == static_cast<unsigned char>(c);
  return stands ? end + 1 : 0;
}

/// How many characters of `text` begin it and stand for `c`; 0: none do.
std::size_t length_of(std::string_view text, char c) {
  if (text.empty()) return 0;
  if (text.front() == c) return 1;
  if (text.front() == '&') return length_of_reference(text, c);
  std::size_t at = 1;
  if (text.front() == '%') {
    while (text.substr(at).starts_with("25")) at += 2;  // encoded several times
    return text.size() >= at + 2 && is_code_of(text.substr(at, 2), c) ? at + 2 : 0;
  }
  if (text.front() != '\\') return 0;
  while (at < text.size() && text[at] == '\\') ++at;
  if (at == text.size()) return 0;
  const std::size_t digits = text[at] == 'u' ? 4 : text[at] == 'x' ? 2 : 0;
  const std::size_t end = at + 1 + digits;
  if (digits > 0 && text.size() >= end && is_code_of(text.substr(at + 1, digits), c)) return end;
  return text[at] == c ? at + 1 : 0;
}

/// The length of the line breaks, plain or escaped, and the indentation that `text` begins with.
std::size_t length_of_break(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    const bool blank = rest.front() == ' ' || rest.front() == '\t';
    if (rest.front() == '\n' || rest.front() == '\r' || (blank && at > 0)) {
      ++at;
    } else if (rest.starts_with("\\n") || rest.starts_with("\\r")) {
      at += 2;
    } else {
      break;
    }
  }
  return at;
}

/// The length of the secret's appearance at the beginning of `text`; 0: it is not there.
std::size_t length_of_secret(std::string_view text, std::string_view secret) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < secret.size(); ++i) {
    std::size_t length = length_of(text.substr(at), secret[i]);
    if (length == 0 && i > 0) {
      at += length_of_break(text.substr(at));
      length = length_of(text.substr(at), secret[i]);
    }
    if (length == 0) return 0;
    at += length;
  }
  return at;
}

void replace_secret(std::string& text, std::string_view secret, std::string_view mask) {
  const std::array<char, 4> k_begins = {secret.front(), '%', '\\', '&'};
  const std::string_view begins(k_begins.data(), k_begins.size());
  for (std::size_t at = text.find_first_of(begins); at != std::string::npos;
       at = text.find_first_of(begins, at)) {
    const std::size_t length = length_of_secret(std::string_view(text).substr(at), secret);
    if (length > 0) text.replace(at, length, mask);
    at += length > 0 ? mask.size() : 1;
  }
}

}  // namespace

std::string mask_secret(std::string text, std::string_view secret, std::string_view mask) {
  constexpr std::size_t k_min_base64 = 6;
  replace_secret(text, secret, mask);
  std::string code =
      to_hexadecimal({reinterpret_cast<const unsigned char*>(secret.data()), secret.size()});
  replace_secret(text, code, mask);
  std::transform(code.begin(), code.end(), code.begin(),
                 [](char c) { return c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c; });
  replace_secret(text, code, mask);
  // The text around it decides at which of three places in a group of base64 a secret begins. Only
  // the digits that it fills by itself are known.
  for (std::size_t before = 0; before < 3; ++before) {
    std::string digits = base64_encode(std::string(before, '\0') + std::string(secret));
    digits.resize((before + secret.size()) * 8 / 6);
    digits.erase(0, (before * 8 + 5) / 6);
    if (digits.size() < k_min_base64) continue;
    replace_secret(text, digits, mask);
    std::replace(digits.begin(), digits.end(), '+', '-');
    std::replace(digits.begin(), digits.end(), '/', '_');
    replace_secret(text, digits, mask);
  }
  return text;
}

}  // namespace svc
