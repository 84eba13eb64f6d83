#include "base/text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include <sys/random.h>

namespace svc {
namespace {

constexpr sv k_blank = " \t\r\n\v\f";

bool is_upper(char c) noexcept {
  return c >= 'A' && c <= 'Z';
}
bool is_lower(char c) noexcept {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
char lower(char c) noexcept {
  return is_upper(c) ? static_cast<char>(c + ('a' - 'A')) : c;
}
bool same_letter(char a, char b) noexcept {
  return lower(a) == lower(b);
}

// The hump of `expireTime`, but neither the D of `teamID` nor the TTP of `HTTPServer`.
bool starts_hump(sv text, std::size_t at) noexcept {
  if (at == 0 || !is_upper(text[at])) return false;
  const bool after_small = is_lower(text[at - 1]) || is_digit(text[at - 1]);
  const bool before_small = at + 1 < text.size() && is_lower(text[at + 1]);
  return after_small || (is_upper(text[at - 1]) && before_small);
}

}  // namespace

std::vector<sv> split(sv text, char separator) {
  std::vector<sv> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == sv::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

sv trim(sv text) noexcept {
  const std::size_t first = text.find_first_not_of(k_blank);
  if (first == sv::npos) return {};
  return text.substr(first, text.find_last_not_of(k_blank) - first + 1);
}

std::string to_lower(sv text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

bool equals_ignore_case(sv a, sv b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_letter);
}

bool contains_ignore_case(sv text, sv part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same_letter) !=
             text.end() ||
         part.empty();
}

namespace {

template <typename Text>
std::string joined(std::span<const Text> parts, sv separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i != 0) out += separator;
    out += parts[i];
  }
  return out;
}

}  // namespace

std::string join(std::span<const sv> parts, sv separator) {
  return joined(parts, separator);
}

std::string join(std::span<const std::string> parts, sv separator) {
  return joined(parts, separator);
}

std::string replace_all(std::string text, sv from, sv to) {
  if (from.empty() || text.find(from) == std::string::npos) return text;
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, done)) {
    out.append(text, done, at - done).append(to);
    done = at + from.size();
  }
  return out.append(text, done);
}

namespace {

/// Without dots.
std::string kebab_name(sv name) {
  std::string out;
  bool pending = false;  // a dash is due before the next letter, never at the ends or twice
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (sv("_-[] ").find(c) != sv::npos) {
      pending = true;
      continue;
    }
    if ((pending || starts_hump(name, i)) && !out.empty()) out += '-';
    pending = false;
    out += lower(c);
  }
  return out;
}

/// The longest end of `before` that is the beginning of `name`, both in whole words.
std::size_t shared_words(sv before, sv name) {
  for (std::size_t length = std::min(before.size(), name.size()); length > 0; --length) {
    const bool whole = (length == before.size() || before[before.size() - length - 1] == '-') &&
                       (length == name.size() || name[length] == '-');
    if (whole && before.ends_with(name.substr(0, length))) return length;
  }
  return 0;
}

}  // namespace

// Words that end one name and begin the next are written once: sip_auth.auth_username is
// sip-auth-username.
std::string kebab_case(sv member_path) {
  std::string out;
  std::string before;
  for (const sv part : split(member_path, '.')) {
    const std::string name = kebab_name(part);
    const sv added = sv(name).substr(shared_words(before, name));
    if (!out.empty() && !added.empty() && added.front() != '-') out += '-';
    out += added;
    before = name;
  }
  return out;
}

std::string shell_quote(sv text) {
  const auto harmless = [](char c) {
    return is_upper(c) || is_lower(c) || is_digit(c) || sv("_@%+:,./-").find(c) != sv::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), harmless)) return std::string(text);
  return "'" + replace_all(std::string(text), "'", R"('\'')") + "'";
}

std::string random_uuid() {
  std::array<unsigned char, 16> bytes{};
  for (std::size_t filled = 0; filled < bytes.size();) {
    const ssize_t got = getrandom(bytes.data() + filled, bytes.size() - filled, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw std::system_error(errno, std::generic_category(), "getrandom");
    filled += static_cast<std::size_t>(got);
  }
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0FU) | 0x40U);  // version 4
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3FU) | 0x80U);  // RFC 9562 variant
  constexpr sv digits = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += digits[bytes[i] >> 4U];
    out += digits[bytes[i] & 0xFU];
  }
  return out;
}

}  // namespace svc
