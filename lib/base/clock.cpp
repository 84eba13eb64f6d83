#include "base/clock.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "base/civil.h"
#include "base/text.h"

namespace svc {
namespace {

constexpr std::array<sv, 7> k_weekdays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                       "Thursday", "Friday", "Saturday"};
constexpr std::array<sv, 12> k_months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

void append_number(std::string& out, std::int64_t value, std::size_t width) {
  const std::string digits = std::to_string(value);
  out.append(width > digits.size() ? width - digits.size() : 0, '0').append(digits);
}

void append_time(std::string& out, const Civil& civil) {
  append_number(out, civil.hour, 2);
  out += ':';
  append_number(out, civil.minute, 2);
  out += ':';
  append_number(out, civil.second, 2);
}

// Reads from the front; after the first mismatch everything fails.
class Cursor {
 public:
  explicit Cursor(sv rest) noexcept : m_rest(rest) {}

  void literal(sv expected) noexcept {
    if (!equals_ignore_case(m_rest.substr(0, expected.size()), expected)) return fail();
    m_rest.remove_prefix(expected.size());
  }

  // Whether one of `letters` comes next, which is then taken.
  [[nodiscard]] bool accept(sv letters) noexcept {
    if (m_rest.empty() || letters.find(m_rest.front()) == sv::npos) return false;
    m_rest.remove_prefix(1);
    return true;
  }

  int number(std::size_t digits) noexcept {
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (m_rest.empty() || m_rest.front() < '0' || m_rest.front() > '9') {
        fail();
        return 0;
      }
      value = value * 10 + (m_rest.front() - '0');
      m_rest.remove_prefix(1);
    }
    return value;
  }

  int month() noexcept {
    for (std::size_t i = 0; i < k_months.size(); ++i) {
      if (!equals_ignore_case(m_rest.substr(0, 3), k_months[i])) continue;
      m_rest.remove_prefix(3);
      return static_cast<int>(i) + 1;
    }
    fail();
    return 1;
  }

  void time(Civil& civil) noexcept {
    civil.hour = number(2);
    literal(":");
    civil.minute = number(2);
    literal(":");
    civil.second = number(2);
  }

  void fail() noexcept {
    m_failed = true;
    m_rest = {};
  }

  [[nodiscard]] bool finished() const noexcept { return !m_failed && m_rest.empty(); }

 private:
  sv m_rest;
  bool m_failed = false;
};

// RFC 9110 §5.6.7: two digits that seem more than 50 years ahead mean the century before.
std::int64_t full_year(int two_digits) noexcept {
  const std::int64_t now = civil_from_unix(unix_now()).year;
  const std::int64_t year = now - now % 100 + two_digits;
  return year > now + 50 ? year - 100 : year;
}

// The weekday is not compared with the date: a server that gets it wrong still means the date.
bool starts_with_weekday(sv text, bool whole) noexcept {
  return std::any_of(k_weekdays.begin(), k_weekdays.end(), [&](sv name) {
    const sv expected = whole ? name : name.substr(0, 3);
    return equals_ignore_case(text, expected);
  });
}

std::optional<Civil> parse_imf_date(sv text) noexcept {  // "06 Nov 1994 08:49:37 GMT"
  Civil civil;
  Cursor cursor(text);
  civil.day = cursor.number(2);
  cursor.literal(" ");
  civil.month = cursor.month();
  cursor.literal(" ");
  civil.year = cursor.number(4);
  cursor.literal(" ");
  cursor.time(civil);
  cursor.literal(" GMT");
  return cursor.finished() ? std::optional(civil) : std::nullopt;
}

std::optional<Civil> parse_rfc850_date(sv text) noexcept {  // "06-Nov-94 08:49:37 GMT"
  Civil civil;
  Cursor cursor(text);
  civil.day = cursor.number(2);
  cursor.literal("-");
  civil.month = cursor.month();
  cursor.literal("-");
  civil.year = full_year(cursor.number(2));
  cursor.literal(" ");
  cursor.time(civil);
  cursor.literal(" GMT");
  return cursor.finished() ? std::optional(civil) : std::nullopt;
}

std::optional<Civil> parse_asctime_date(sv text) noexcept {  // "Nov  6 08:49:37 1994"
  Civil civil;
  Cursor cursor(text);
  civil.month = cursor.month();
  cursor.literal(" ");
  civil.day = cursor.number(cursor.accept(" ") ? 1 : 2);
  cursor.literal(" ");
  cursor.time(civil);
  cursor.literal(" ");
  civil.year = cursor.number(4);
  return cursor.finished() ? std::optional(civil) : std::nullopt;
}

// Seconds east of Greenwich.
std::int64_t parse_offset(Cursor& cursor) noexcept {
  if (cursor.accept("zZ")) return 0;
  const bool west = cursor.accept("-");
  if (!west && !cursor.accept("+")) cursor.fail();
  const int hours = cursor.number(2);
  cursor.literal(":");
  const int minutes = cursor.number(2);
  if (hours > 23 || minutes > 59) cursor.fail();
  const std::int64_t seconds = hours * 3600 + minutes * 60;
  return west ? -seconds : seconds;
}

}  // namespace

std::int64_t unix_now() noexcept {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::floor<std::chrono::seconds>(since).count();
}

std::string format_rfc3339(std::int64_t unix_seconds) {
  const Civil civil = civil_from_unix(unix_seconds);
  std::string out;
  append_number(out, civil.year, 4);
  out += '-';
  append_number(out, civil.month, 2);
  out += '-';
  append_number(out, civil.day, 2);
  out += 'T';
  append_time(out, civil);
  return out + "Z";
}

std::optional<std::int64_t> parse_rfc3339(std::string_view text) noexcept {
  Civil civil;
  Cursor cursor(text);
  civil.year = cursor.number(4);
  cursor.literal("-");
  civil.month = cursor.number(2);
  cursor.literal("-");
  civil.day = cursor.number(2);
  if (!cursor.accept("Tt ")) return std::nullopt;
  cursor.time(civil);
  if (cursor.accept(".")) {
    cursor.number(1);
    while (cursor.accept("0123456789")) {
    }
  }
  const std::int64_t offset = parse_offset(cursor);
  if (!cursor.finished()) return std::nullopt;
  const auto local = unix_from_civil(civil);
  if (!local) return std::nullopt;
  const std::int64_t result = *local - offset;
  // A leap second exists only at the end of a UTC day.
  if (civil.second == 60 && result % k_seconds_per_day != 0) return std::nullopt;
  return result;
}

std::optional<std::int64_t> parse_http_date(std::string_view text) noexcept {
  text = trim(text);
  std::optional<Civil> civil;
  if (const std::size_t comma = text.find(", "); comma != sv::npos) {
    const sv weekday = text.substr(0, comma);
    const sv date = text.substr(comma + 2);
    if (starts_with_weekday(weekday, false)) civil = parse_imf_date(date);
    if (starts_with_weekday(weekday, true)) civil = parse_rfc850_date(date);
  } else if (text.size() > 4 && text[3] == ' ' && starts_with_weekday(text.substr(0, 3), false)) {
    civil = parse_asctime_date(text.substr(4));
  }
  return civil ? unix_from_civil(*civil) : std::nullopt;
}

std::string format_http_date(std::int64_t unix_seconds) {
  unix_seconds = std::clamp(unix_seconds, k_first_second, k_last_second);
  const Civil civil = civil_from_unix(unix_seconds);
  const std::int64_t days = day_of(unix_seconds);
  const auto weekday =
      static_cast<std::size_t>(((days + 4) % 7 + 7) % 7);  // 1970 began on Thursday
  std::string out(k_weekdays[weekday].substr(0, 3));
  out += ", ";
  append_number(out, civil.day, 2);
  out += ' ';
  out += k_months[static_cast<std::size_t>(civil.month - 1)];
  out += ' ';
  append_number(out, civil.year, 4);
  out += ' ';
  append_time(out, civil);
  return out + " GMT";
}

}  // namespace svc
