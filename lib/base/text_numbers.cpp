#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace svc {
namespace {

using std::chrono::milliseconds;

// Beyond this, adding to a clock's time point could overflow.
constexpr double k_longest_duration_ms = 100.0 * 366 * 24 * 3600 * 1000;

std::size_t count_digits(sv text) noexcept {
  std::size_t count = 0;
  while (count < text.size() && text[count] >= '0' && text[count] <= '9') ++count;
  return count;
}

// The length of `-?(0|[1-9][0-9]*)` at the start of `text`, 0 when there is none.
std::size_t integer_length(sv text) noexcept {
  const std::size_t sign = text.substr(0, 1) == "-" ? 1 : 0;
  const std::size_t digits = count_digits(text.substr(sign));
  if (digits == 0 || (digits > 1 && text[sign] == '0')) return 0;
  return sign + digits;
}

// Whether all of `text` is a number as JSON writes it (RFC 8259 §6).
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

// "2 min 05 s"; only "2 min" when nothing is left over.
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

}  // namespace

std::optional<std::int64_t> parse_integer(sv text) noexcept {
  if (text.empty() || integer_length(text) != text.size()) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_number(sv text) noexcept {
  if (!is_json_number(text)) return std::nullopt;
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
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
    // Three digits say enough: one decimal below 100 only.
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
  const auto [end, fault] = std::from_chars(text.data(), text.data() + length, value);
  if (fault != std::errc() || end != text.data() + length) return std::nullopt;
  const auto factor = unit_in_milliseconds(text.substr(length), unit);
  if (!factor) return std::nullopt;
  const double exact = value * *factor;
  if (!(exact >= 0 && exact <= k_longest_duration_ms)) return std::nullopt;
  const auto whole = std::llround(exact);
  // Zero often means "no limit": a time that somebody asked for never becomes it by rounding.
  return milliseconds(whole == 0 && value > 0 ? 1 : whole);
}

}  // namespace svc
