#include "base/masking.h"

#include <algorithm>
#include <array>

#include "base/base64.h"

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

/// How many characters of `text` begin it and stand for `c`; 0: none do.
std::size_t length_of(std::string_view text, char c) {
  if (text.empty()) return 0;
  if (text.front() == c) return 1;
  if (text.front() == '%') return text.size() >= 3 && is_code_of(text.substr(1, 2), c) ? 3 : 0;
  if (text.front() != '\\' || text.size() < 2) return 0;
  if (text[1] == c) return 2;
  return text[1] == 'u' && text.size() >= 6 && is_code_of(text.substr(2, 4), c) ? 6 : 0;
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
  const std::array<char, 4> k_begins = {secret.front(), '%', '\\', '\0'};
  const std::string_view begins(k_begins.data(), 3);
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
