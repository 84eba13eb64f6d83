// The civil calendar in UTC. Computed here, because gmtime and timegm depend on what the C library
// was told about leap seconds, and strftime on the locale.
#pragma once

#include <cstdint>
#include <optional>

namespace svc {

struct Civil {
  std::int64_t year = 1970;
  int month = 1;  ///< from 1
  int day = 1;    ///< from 1
  int hour = 0;
  int minute = 0;
  int second = 0;
};

inline constexpr std::int64_t k_seconds_per_day = 86'400;

/// Whole days since 1970-01-01, rounded down.
[[nodiscard]] constexpr std::int64_t day_of(std::int64_t unix_seconds) noexcept {
  return unix_seconds / k_seconds_per_day - (unix_seconds % k_seconds_per_day < 0 ? 1 : 0);
}

/// The day's number since 1970-01-01, in the proleptic Gregorian calendar.
[[nodiscard]] constexpr std::int64_t days_from_civil(std::int64_t year, int month,
                                                     int day) noexcept {
  if (month <= 2) --year;  // years start in March here, so that the leap day comes last
  const std::int64_t era = year / 400 - (year % 400 < 0 ? 1 : 0);
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146'097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719'468;
}

/// The bounds of what four digits of a year can say; `civil_from_unix` clamps to them.
inline constexpr std::int64_t k_first_second = days_from_civil(0, 1, 1) * k_seconds_per_day;
inline constexpr std::int64_t k_last_second = days_from_civil(10'000, 1, 1) * k_seconds_per_day - 1;

/// Date and time of day at `unix_seconds`, clamped to the years 0 to 9999.
[[nodiscard]] Civil civil_from_unix(std::int64_t unix_seconds) noexcept;

/// Unix seconds; nothing when a component is out of its range. Second 60 counts as the next
/// minute's first.
[[nodiscard]] std::optional<std::int64_t> unix_from_civil(const Civil& civil) noexcept;

}  // namespace svc
