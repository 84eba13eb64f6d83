#include "base/clock.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "base/text.h"

namespace svc {
namespace {

constexpr std::array<sv, 7> k_weekdays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                       "Thursday", "Friday", "Saturday"};
constexpr std::array<sv, 12> k_months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

namespace chrono = std::chrono;

constexpr chrono::sys_seconds k_first = chrono::sys_days(chrono::year(0) / 1 / 1);
constexpr chrono::sys_seconds k_last =
    chrono::sys_days(chrono::year(10'000) / 1 / 1) - chrono::seconds(1);

/// A timestamp's fields, in UTC.
struct DateTime {
  int year{};
  int month{};
  int day{};
  int hour{};
  int minute{};
  int second{};
};

/// Limits the time to years of four digits.
chrono::sys_seconds clamped(std::int64_t unix_seconds) noexcept {
  return std::clamp(chrono::sys_seconds(chrono::seconds(unix_seconds)), k_first, k_last);
}

DateTime read_clock(chrono::sys_seconds time) noexcept {
  const auto day = chrono::floor<chrono::days>(time);
  const chrono::year_month_day date(day);
  const chrono::hh_mm_ss clock(time - day);
  return {static_cast<int>(date.year()),
          static_cast<int>(static_cast<unsigned>(date.month())),
          static_cast<int>(static_cast<unsigned>(date.day())),
          static_cast<int>(clock.hours().count()),
          static_cast<int>(clock.minutes().count()),
          static_cast<int>(clock.seconds().count())};
}

/// Empty if a component is out of range. Second 60 is the first second of the next minute.
std::optional<std::int64_t> unix_of(const DateTime& time) noexcept {
  const chrono::year_month_day date(chrono::year(time.year),
                                    chrono::month(static_cast<unsigned>(time.month)),
                                    chrono::day(static_cast<unsigned>(time.day)));
  if (!date.ok() || time.hour > 23 || time.minute > 59 || time.second > 60) return std::nullopt;
  const chrono::sys_seconds at = chrono::sys_days(date) + chrono::hours(time.hour) +
                                 chrono::minutes(time.minute) + chrono::seconds(time.second);
  return at.time_since_epoch().count();
}

// Parses from the front; after the first mismatch every call fails.
class Cursor {
 public:
  explicit Cursor(sv rest) noexcept : m_rest(rest) {}

  void literal(sv expected) noexcept {
    if (!equals_ignore_case(m_rest.substr(0, expected.size()), expected)) return fail();
    m_rest.remove_prefix(expected.size());
  }

  // Consumes the next character if it is one of `letters`.
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

  void time(DateTime& time) noexcept {
    time.hour = number(2);
    literal(":");
    time.minute = number(2);
    literal(":");
    time.second = number(2);
  }

  void fail() noexcept { m_failed = true; }

  [[nodiscard]] bool finished() const noexcept { return !m_failed && m_rest.empty(); }

 private:
  sv m_rest;
  bool m_failed = false;
};

// RFC 9110 §5.6.7: a two-digit year more than 50 years ahead is in the previous century.
int full_year(int two_digits) noexcept {
  const int now = read_clock(clamped(unix_now())).year;
  const int year = now - now % 100 + two_digits;
  return year > now + 50 ? year - 100 : year;
}

// The weekday is not checked against the date: even with a wrong weekday the server means the date.
bool starts_with_weekday(sv text, bool whole) noexcept {
  return std::any_of(k_weekdays.begin(), k_weekdays.end(), [&](sv name) {
    const sv expected = whole ? name : name.substr(0, 3);
    return equals_ignore_case(text, expected);
  });
}

/// Parses "06 Nov 1994 08:49:37 GMT", or "06-Nov-94 08:49:37 GMT" in RFC 850 format.
std::optional<DateTime> parse_day_first(sv text, bool rfc850) noexcept {
  const sv between = rfc850 ? "-" : " ";
  DateTime time;
  Cursor cursor(text);
  time.day = cursor.number(2);
  cursor.literal(between);
  time.month = cursor.month();
  cursor.literal(between);
  time.year = rfc850 ? full_year(cursor.number(2)) : cursor.number(4);
  cursor.literal(" ");
  cursor.time(time);
  cursor.literal(" GMT");
  return cursor.finished() ? std::optional(time) : std::nullopt;
}

std::optional<DateTime> parse_asctime_date(sv text) noexcept {  // "Nov  6 08:49:37 1994"
  DateTime time;
  Cursor cursor(text);
  time.month = cursor.month();
  cursor.literal(" ");
  time.day = cursor.number(cursor.accept(" ") ? 1 : 2);
  cursor.literal(" ");
  cursor.time(time);
  cursor.literal(" ");
  time.year = cursor.number(4);
  return cursor.finished() ? std::optional(time) : std::nullopt;
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
  const auto since = chrono::system_clock::now().time_since_epoch();
  return chrono::floor<chrono::seconds>(since).count();
}

std::string format_rfc3339(std::int64_t unix_seconds) {
  const DateTime time = read_clock(clamped(unix_seconds));
  std::array<char, 80> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02dZ", time.year, time.month,
                time.day, time.hour, time.minute, time.second);
  return text.data();
}

std::tm local_time(std::int64_t unix_seconds) noexcept {
  const auto time = static_cast<std::time_t>(unix_seconds);
  std::tm local{};
  if (::localtime_r(&time, &local) == nullptr) ::gmtime_r(&time, &local);
  return local;
}

std::string format_local(std::int64_t unix_seconds) {
  std::string text = format_rfc3339(unix_seconds + local_time(unix_seconds).tm_gmtoff);
  text[10] = ' ';
  text.pop_back();
  return text;
}

std::optional<std::int64_t> parse_rfc3339(std::string_view text) noexcept {
  DateTime time;
  Cursor cursor(text);
  time.year = cursor.number(4);
  cursor.literal("-");
  time.month = cursor.number(2);
  cursor.literal("-");
  time.day = cursor.number(2);
  if (!cursor.accept("Tt ")) return std::nullopt;
  cursor.time(time);
  if (cursor.accept(".")) {
    cursor.number(1);
    while (cursor.accept("0123456789")) {
    }
  }
  const std::int64_t offset = parse_offset(cursor);
  if (!cursor.finished()) return std::nullopt;
  const auto local = unix_of(time);
  if (!local) return std::nullopt;
  const std::int64_t result = *local - offset;
  // A leap second exists only at the end of a UTC day.
  if (time.second == 60 && result % 86'400 != 0) return std::nullopt;
  return result;
}

std::optional<std::int64_t> parse_http_date(std::string_view text) noexcept {
  text = trim(text);
  std::optional<DateTime> time;
  if (const std::size_t comma = text.find(", "); comma != sv::npos) {
    const sv weekday = text.substr(0, comma);
    const sv date = text.substr(comma + 2);
    if (starts_with_weekday(weekday, false)) time = parse_day_first(date, false);
    if (starts_with_weekday(weekday, true)) time = parse_day_first(date, true);
  } else if (text.size() > 4 && text[3] == ' ' && starts_with_weekday(text.substr(0, 3), false)) {
    time = parse_asctime_date(text.substr(4));
  }
  return time ? unix_of(*time) : std::nullopt;
}

std::string format_http_date(std::int64_t unix_seconds) {
  const chrono::sys_seconds at = clamped(unix_seconds);
  const DateTime time = read_clock(at);
  const chrono::weekday weekday(chrono::floor<chrono::days>(at));
  std::array<char, 80> text{};
  std::snprintf(text.data(), text.size(), "%.3s, %02d %.3s %04d %02d:%02d:%02d GMT",
                k_weekdays[weekday.c_encoding()].data(), time.day,
                k_months[static_cast<std::size_t>(time.month - 1)].data(), time.year, time.hour,
                time.minute, time.second);
  return text.data();
}

}  // namespace svc
