#include "base/civil.h"

#include <algorithm>
#include <array>

namespace svc {

Civil civil_from_unix(std::int64_t unix_seconds) noexcept {
  unix_seconds = std::clamp(unix_seconds, k_first_second, k_last_second);
  const std::int64_t days = day_of(unix_seconds) + 719'468;  // since 0000-03-01
  const std::int64_t in_day = unix_seconds - day_of(unix_seconds) * k_seconds_per_day;
  const std::int64_t era = days / 146'097 - (days % 146'097 < 0 ? 1 : 0);
  const std::int64_t day_of_era = days - era * 146'097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted = (5 * day_of_year + 2) / 153;  // 0 is March
  Civil civil;
  civil.month = static_cast<int>(shifted < 10 ? shifted + 3 : shifted - 9);
  civil.day = static_cast<int>(day_of_year - (153 * shifted + 2) / 5 + 1);
  civil.year = year_of_era + era * 400 + (civil.month <= 2 ? 1 : 0);
  civil.hour = static_cast<int>(in_day / 3600);
  civil.minute = static_cast<int>(in_day / 60 % 60);
  civil.second = static_cast<int>(in_day % 60);
  return civil;
}

std::optional<std::int64_t> unix_from_civil(const Civil& civil) noexcept {
  constexpr std::array<int, 12> lengths{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const auto within = [](std::int64_t value, std::int64_t low, std::int64_t high) {
    return value >= low && value <= high;
  };
  if (!within(civil.year, 0, 9999) || !within(civil.month, 1, 12)) return std::nullopt;
  const bool leap = civil.year % 4 == 0 && (civil.year % 100 != 0 || civil.year % 400 == 0);
  const int length =
      lengths[static_cast<std::size_t>(civil.month - 1)] + (leap && civil.month == 2 ? 1 : 0);
  if (!within(civil.day, 1, length)) return std::nullopt;
  if (!within(civil.hour, 0, 23) || !within(civil.minute, 0, 59) || !within(civil.second, 0, 60)) {
    return std::nullopt;
  }
  const std::int64_t minutes = std::int64_t{60} * civil.hour + civil.minute;
  return days_from_civil(civil.year, civil.month, civil.day) * k_seconds_per_day + 60 * minutes +
         civil.second;
}

}  // namespace svc
