#include "base/url.h"

#include <charconv>

#include "base/text.h"

namespace svc {

std::string percent_encode(std::string_view text) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~') {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += hex[byte >> 4U];
      out += hex[byte & 15U];
    }
  }
  return out;
}

std::string percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned byte = 0;
    const char* digits = text.data() + at + 1;
    if (text[at] == '%' && at + 2 < text.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      out += static_cast<char>(byte);
      at += 2;
    } else {
      out += text[at];
    }
  }
  return out;
}

std::string query_string(std::span<const Header> pairs) {
  std::string out;
  for (const Header& pair : pairs) {
    out += out.empty() ? '?' : '&';
    out += percent_encode(pair.name) + "=" + percent_encode(pair.value);
  }
  return out;
}

}  // namespace svc
