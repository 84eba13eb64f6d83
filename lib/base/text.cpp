#include "base/text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <system_error>

#include <sys/random.h>
#include <unistd.h>

namespace svc {
namespace {

constexpr sv k_whitespace = " \t\r\n\v\f";

bool is_upper(char c) noexcept {
  return c >= 'A' && c <= 'Z';
}
bool is_lower(char c) noexcept {
  return c >= 'a' && c <= 'z';
}
char lower(char c) noexcept {
  return is_upper(c) ? static_cast<char>(c + ('a' - 'A')) : c;
}
bool same_letter(char a, char b) noexcept {
  return lower(a) == lower(b);
}

// Whether a camel-case word starts here: in `expireTime`, but not at the D of `teamID` or the TTP
// of `HTTPServer`.
bool starts_word(sv text, std::size_t at) noexcept {
  if (at == 0 || !is_upper(text[at])) return false;
  const bool after_lower = is_lower(text[at - 1]) || is_digit(text[at - 1]);
  const bool before_lower = at + 1 < text.size() && is_lower(text[at + 1]);
  return after_lower || (is_upper(text[at - 1]) && before_lower);
}

// Longer words are not typing errors, and the cost grows with the product of both lengths.
constexpr std::size_t k_max_word = 100;

// The number of insertions, deletions, substitutions and swaps of neighbours from `a` to `b`.
std::size_t distance(sv a, sv b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + cost});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

// The only candidate that starts with `word`.
sv unique_completion(sv word, std::span<const sv> candidates) {
  if (word.size() < 3) return {};
  sv found;
  for (const sv candidate : candidates) {
    if (!equals_ignore_case(candidate.substr(0, word.size()), word)) continue;
    if (candidate.size() == word.size()) return candidate;
    if (!found.empty() && found != candidate) return {};
    found = candidate;
  }
  return found;
}

using std::chrono::milliseconds;

// A longer duration could overflow a time point of the clock.
constexpr double k_max_duration_ms = 100.0 * 366 * 24 * 3600 * 1000;

std::size_t count_digits(sv text) noexcept {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  return count;
}

// The length of `-?(0|[1-9][0-9]*)` at the start of `text`, or 0.
std::size_t integer_length(sv text) noexcept {
  const std::size_t sign = text.substr(0, 1) == "-" ? 1 : 0;
  const std::size_t digits = count_digits(text.substr(sign));
  if (digits == 0 || (digits > 1 && text[sign] == '0')) return 0;
  return sign + digits;
}

// Whether `text` is a complete JSON number (RFC 8259 §6).
bool is_json_number(sv text) noexcept {
  const std::size_t integer = integer_length(text);
  if (integer == 0) return false;
  text.remove_prefix(integer);
  if (text.substr(0, 1) == ".") {
    const std::size_t digits = count_digits(text.substr(1));
    if (digits == 0) return false;
    text.remove_prefix(1 + digits);
  }
  if (!text.empty() && (text[0] == 'e' || text[0] == 'E')) {
    text.remove_prefix(1);
    if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
    const std::size_t digits = count_digits(text);
    if (digits == 0) return false;
    text.remove_prefix(digits);
  }
  return text.empty();
}

std::optional<double> unit_in_milliseconds(sv unit, milliseconds bare) noexcept {
  if (unit.empty()) return static_cast<double>(bare.count());
  if (unit == "ms") return 1.0;
  if (unit == "s") return 1000.0;
  if (unit == "m") return 60'000.0;
  if (unit == "h") return 3'600'000.0;
  if (unit == "d") return 86'400'000.0;
  return std::nullopt;
}

std::string two_digits(std::uint64_t value) {
  return (value < 10 ? "0" : "") + std::to_string(value);
}

// "2 min 05 s"; "2 min" without a remainder.
std::string two_units(std::uint64_t value, std::uint64_t per_large, sv large, sv small) {
  std::string out = std::to_string(value / per_large) + std::string(large);
  const std::uint64_t rest = value % per_large;
  if (rest != 0) out += " " + two_digits(rest) + std::string(small);
  return out;
}

std::string tenths(std::uint64_t count) {
  std::string out = std::to_string(count / 10);
  if (count % 10 != 0) out += "." + std::to_string(count % 10);
  return out;
}

std::uint64_t rounded(std::uint64_t value, std::uint64_t unit) noexcept {
  return value / unit + (value % unit >= unit - unit / 2 ? 1 : 0);
}

/// The kebab-case form of a name without dots.
std::string kebab_name(sv name) {
  std::string out;
  bool pending = false;  // a dash before the next letter, never at the ends or doubled
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (sv("_-[] ").find(c) != sv::npos) {
      pending = true;
      continue;
    }
    if ((pending || starts_word(name, i)) && !out.empty()) out += '-';
    pending = false;
    out += lower(c);
  }
  return out;
}

/// The length of the longest suffix of `before` that is a prefix of `name`, in whole words.
std::size_t shared_words(sv before, sv name) {
  for (std::size_t length = std::min(before.size(), name.size()); length > 0; --length) {
    const bool whole = (length == before.size() || before[before.size() - length - 1] == '-') &&
                       (length == name.size() || name[length] == '-');
    if (whole && before.ends_with(name.substr(0, length))) return length;
  }
  return 0;
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
  const std::size_t first = text.find_first_not_of(k_whitespace);
  if (first == sv::npos) return {};
  return text.substr(first, text.find_last_not_of(k_whitespace) - first + 1);
}

std::string to_lower(sv text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

std::string to_upper(sv text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

bool equals_ignore_case(sv a, sv b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_letter);
}

bool contains_word(sv text, sv word) {
  const auto inside = [&](std::size_t at) {
    return at < text.size() && (is_letter(text[at]) || is_digit(text[at]) || text[at] == '_');
  };
  for (std::size_t at = text.find(word); !word.empty() && at != sv::npos;
       at = text.find(word, at + 1)) {
    if (!inside(at - 1) && !inside(at + word.size())) return true;
  }
  return false;
}

bool contains_ignore_case(sv text, sv part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same_letter) !=
             text.end() ||
         part.empty();
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

std::string repeat(sv text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

// Words shared by the end of one name and the start of the next appear once: sip_auth.auth_username
// becomes sip-auth-username.
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
  const auto is_safe = [](char c) {
    return is_letter(c) || is_digit(c) || sv("_@%+:,./-").find(c) != sv::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_safe)) return std::string(text);
  return "'" + replace_all(std::string(text), "'", R"('\'')") + "'";
}

std::string shown_word(sv text) {
  return shell_quote(visible(text, Lines::Escape));
}

std::string to_hexadecimal(std::span<const unsigned char> bytes) {
  constexpr sv digits = "0123456789abcdef";
  std::string out;
  for (const unsigned char byte : bytes) {
    out += digits[byte >> 4U];
    out += digits[byte & 0xFU];
  }
  return out;
}

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  if (::getentropy(bytes.data(), bytes.size()) != 0) {
    throw std::system_error(errno, std::generic_category(), "getentropy");
  }
  return bytes;
}

std::string random_uuid() {
  std::array<unsigned char, 16> bytes{};
  std::ranges::copy(random_bytes(bytes.size()), bytes.begin());
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0FU) | 0x40U);  // version 4
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3FU) | 0x80U);  // RFC 9562 variant
  std::string out = to_hexadecimal(bytes);
  for (const std::size_t dash : {8U, 13U, 18U, 23U}) out.insert(dash, 1, '-');
  return out;
}

sv nearest(sv word, std::span<const sv> candidates) {
  if (word.empty() || word.size() > k_max_word) return {};
  if (const sv whole = unique_completion(word, candidates); !whole.empty()) return whole;
  const std::string small = to_lower(word);
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  sv best;
  std::size_t best_distance = limit + 1;
  for (const sv candidate : candidates) {
    const std::size_t longer = std::max(word.size(), candidate.size());
    const std::size_t shorter = std::min(word.size(), candidate.size());
    if (longer - shorter > limit) continue;
    const std::size_t steps = distance(small, to_lower(candidate));
    // As many steps as letters means that the words share nothing.
    if (steps < best_distance && steps < longer) {
      best = candidate;
      best_distance = steps;
    }
  }
  return best;
}

sv nearest(sv word, std::span<const std::string> candidates) {
  return nearest(word, std::vector<sv>(candidates.begin(), candidates.end()));
}

std::string did_you_mean(sv near, std::string otherwise) {
  return near.empty() ? std::move(otherwise) : "Did you mean '" + std::string(near) + "'?";
}

std::optional<std::int64_t> parse_integer(sv text) noexcept {
  if (text.empty() || integer_length(text) != text.size()) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void make_room(std::string& text, std::size_t more) {
  const std::size_t needed = text.size() + more;
  if (needed > text.capacity()) text.reserve(std::max(needed, 2 * text.capacity()));
}

std::from_chars_result read_double(sv text, double& value) {
#ifdef __cpp_lib_to_chars
  return std::from_chars(text.data(), text.data() + text.size(), value);
#else
  const std::string copy(text);
  char* end = nullptr;
  errno = 0;
  const double read = std::strtod(copy.c_str(), &end);
  if (end == copy.c_str()) return {text.data(), std::errc::invalid_argument};
  const bool fits = errno != ERANGE;
  if (fits) value = read;
  return {text.data() + (end - copy.c_str()), fits ? std::errc() : std::errc::result_out_of_range};
#endif
}

std::optional<double> parse_number(sv text) noexcept {
  if (!is_json_number(text)) return std::nullopt;
  double value = 0;
  const auto [end, fault] = read_double(text, value);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<sv, 6> units{"kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) return std::to_string(bytes) + " B";
  std::uint64_t unit = 1000;
  for (std::size_t i = 0;; ++i, unit *= 1000) {
    const bool last = i + 1 == units.size();
    const std::uint64_t count = rounded(bytes, unit / 10);
    // Three significant digits: a decimal only below 100.
    if (count < 1000) return tenths(count) + " " + std::string(units[i]);
    const std::uint64_t whole = rounded(bytes, unit);
    if (whole < 1000 || last) return std::to_string(whole) + " " + std::string(units[i]);
  }
}

std::string format_duration(milliseconds duration) {
  const auto count = duration.count();
  const std::string sign = count < 0 ? "-" : "";
  const auto bits = static_cast<std::uint64_t>(count);
  const std::uint64_t ms = count < 0 ? 0 - bits : bits;
  if (ms < 1000) return sign + std::to_string(ms) + " ms";
  if (const auto tenth = rounded(ms, 100); tenth < 600) return sign + tenths(tenth) + " s";
  const std::uint64_t seconds = rounded(ms, 1000);
  if (seconds < 3600) return sign + two_units(seconds, 60, " min", " s");
  const std::uint64_t minutes = rounded(ms, 60'000);
  if (minutes < 48ULL * 60) return sign + two_units(minutes, 60, " h", " min");
  const std::uint64_t hours = rounded(ms, 3'600'000);
  std::string out = sign + std::to_string(hours / 24) + " d";
  if (hours % 24 != 0) out += " " + std::to_string(hours % 24) + " h";
  return out;
}

std::optional<milliseconds> parse_duration(sv text, milliseconds unit) noexcept {
  std::size_t length = count_digits(text);
  if (length == 0) return std::nullopt;
  if (text.substr(length, 1) == ".") {
    const std::size_t decimals = count_digits(text.substr(length + 1));
    if (decimals == 0) return std::nullopt;
    length += 1 + decimals;
  }
  double value = 0;
  const auto [end, fault] = read_double(text.substr(0, length), value);
  if (fault != std::errc() || end != text.data() + length) return std::nullopt;
  const auto factor = unit_in_milliseconds(text.substr(length), unit);
  if (!factor) return std::nullopt;
  const double exact = value * *factor;
  if (!(exact >= 0 && exact <= k_max_duration_ms)) return std::nullopt;
  const auto whole = std::llround(exact);
  // Zero often means "no limit", so a positive duration is never rounded to zero.
  return milliseconds(whole == 0 && value > 0 ? 1 : whole);
}

}  // namespace svc
