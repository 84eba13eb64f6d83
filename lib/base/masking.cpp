#include "base/masking.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/base64.h"
#include "base/text.h"

namespace svc {
namespace {

/// A character that a text begins with, and how many bytes stand for it there.
struct Written {
  std::size_t length = 0;  ///< 0: none
  std::uint32_t code = 0;
};

/// The longest way to write one character, and what may stand between two.
constexpr std::size_t k_longest_written = 64;
/// After a backslash, these mean a line break or a blank.
constexpr sv k_control_names = "nrtfv";

std::optional<std::uint32_t> number_of(sv digits, std::uint32_t base) {
  constexpr std::size_t k_most = 8;
  if (digits.empty() || digits.size() > k_most) return std::nullopt;
  std::uint32_t value = 0;
  for (const char digit : digits) {
    const bool letter = (digit >= 'a' && digit <= 'f') || (digit >= 'A' && digit <= 'F');
    const auto found =
        sv("0123456789abcdef").find(letter ? static_cast<char>(digit | 0x20) : digit);
    if (found >= base) return std::nullopt;
    value = value * base + static_cast<std::uint32_t>(found);
  }
  return value;
}

/// A reference of HTML, from after its "&": "#115;", "#x73;", "sol;", also escaped again:
/// "amp;#115;".
Written read_reference(sv text) {
  constexpr std::pair<sv, char> k_names[] = {{"lt", '<'},  {"gt", '>'},     {"plus", '+'},
                                             {"sol", '/'}, {"lowbar", '_'}, {"equals", '='}};
  if (text.starts_with("amp;")) {
    const Written again = read_reference(text.substr(4));
    return again.length > 0 ? Written{again.length + 4, again.code} : Written{4, '&'};
  }
  const std::size_t end = text.find(';');
  if (end == sv::npos) return {};
  const sv name = text.substr(0, end);
  for (const auto& [known, c] : k_names) {
    if (name == known) return {end + 1, static_cast<unsigned char>(c)};
  }
  if (!name.starts_with('#')) return {};
  const bool hexadecimal = name.starts_with("#x") || name.starts_with("#X");
  const auto code = number_of(name.substr(hexadecimal ? 2 : 1), hexadecimal ? 16 : 10);
  return code ? Written{end + 1, *code} : Written{};
}

/// What stands after backslashes: "u0073", "u{73}", "x73", "163", "n", "/".
Written read_escape(sv text) {
  if (text.empty()) return {};
  if (text.starts_with("u{")) {
    const std::size_t end = text.find('}');
    const auto code = end == sv::npos ? std::nullopt : number_of(text.substr(2, end - 2), 16);
    if (code) return {end + 1, *code};
  }
  const std::size_t digits = text.front() == 'u' ? 4 : text.front() == 'x' ? 2 : 0;
  if (digits > 0 && text.size() > digits) {
    if (const auto code = number_of(text.substr(1, digits), 16)) return {1 + digits, *code};
  }
  if (const auto code = number_of(text.substr(0, 3), 8); code && text.size() >= 3) {
    return {3, *code};
  }
  const bool control = k_control_names.find(text.front()) != sv::npos;
  return {1, static_cast<unsigned char>(control ? '\n' : text.front())};
}

std::size_t count_backslashes(sv text) {
  return std::min(text.find_first_not_of('\\'), text.size());
}

/// The character that `text` begins with, if it is encoded there, once or several times.
Written read_encoded(sv text) {
  text = text.substr(0, k_longest_written);
  Written one;
  std::size_t at = 1;
  if (text.starts_with('&')) {
    one = read_reference(text.substr(1));
  } else if (text.starts_with('\\')) {
    at = count_backslashes(text);
    one = read_escape(text.substr(at));
  } else if (text.starts_with('%')) {
    while (text.substr(at).starts_with("25")) at += 2;
    const auto code = text.size() >= at + 2 ? number_of(text.substr(at, 2), 16) : std::nullopt;
    if (code) one = {2, *code};
  }
  return one.length > 0 ? Written{at + one.length, one.code} : Written{};
}

std::uint32_t in_lower_case(std::uint32_t code) {
  return code >= 'A' && code <= 'Z' ? code | 0x20U : code;
}

/// How many characters of `text` begin it and stand for `c`, in either case; 0: none do.
std::size_t length_of(sv text, char c) {
  if (text.empty()) return 0;
  const std::uint32_t wanted = in_lower_case(static_cast<unsigned char>(c));
  const Written one = read_encoded(text);
  if (one.length > 0 && in_lower_case(one.code) == wanted) return one.length;
  if (in_lower_case(static_cast<unsigned char>(text.front())) == wanted) return 1;
  // A letter that names a control character may also stand for itself.
  const std::size_t at = count_backslashes(text.substr(0, k_longest_written));
  const bool names = at > 0 && k_control_names.find(c) != sv::npos;
  return names && text.substr(at).starts_with(c) ? at + 1 : 0;
}

/// The length of one thing at the beginning of `text` that may part the characters of a broken
/// secret, 0 without: a blank, a line break or what no key contains, plain or encoded; the mark of
/// a line that continues; a tag that breaks one.
std::size_t length_of_break(sv text) {
  if (text.empty()) return 0;
  const auto parts = [](std::uint32_t code) { return code <= 0x20 || code >= 0x7F; };
  const bool ends_line = text.size() > 1 && (text[1] == '\n' || text[1] == '\r');
  const bool mark = text.front() == '\\' || text.front() == '=';
  if (parts(static_cast<unsigned char>(text.front())) || (mark && ends_line)) return 1;
  if (const Written one = read_encoded(text); one.length > 0)
    return parts(one.code) ? one.length : 0;
  if (!text.starts_with("<br") && !text.starts_with("<wbr")) return 0;
  const std::size_t end = text.substr(0, k_longest_written).find('>');
  return end == sv::npos ? 0 : end + 1;
}

/// The length of the secret's appearance at the beginning of `text`; 0: it is not there.
std::size_t length_of_secret(sv text, sv secret) {
  std::size_t at = 0;
  for (const char c : secret) {
    const std::size_t begin = at;
    std::size_t length = length_of(text.substr(at), c);
    while (length == 0 && at > 0 && at - begin < k_longest_written) {
      const std::size_t gap = length_of_break(text.substr(at));
      if (gap == 0) return 0;
      at += gap;
      length = length_of(text.substr(at), c);
    }
    if (length == 0) return 0;
    at += length;
  }
  return at;
}

void replace_secret(std::string& text, std::string_view secret, std::string_view mask) {
  const char first = secret.front();
  const bool letter = in_lower_case(static_cast<unsigned char>(first)) >= 'a' &&
                      in_lower_case(static_cast<unsigned char>(first)) <= 'z';
  const std::array<char, 5> k_begins = {first, letter ? static_cast<char>(first ^ 0x20) : first,
                                        '%', '\\', '&'};
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
  const std::string code =
      to_hexadecimal({reinterpret_cast<const unsigned char*>(secret.data()), secret.size()});
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
