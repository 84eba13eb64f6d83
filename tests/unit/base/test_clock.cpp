#include <cstdlib>
#include <ctime>
#include <limits>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "base/clock.h"
#include "support/environment_variable.h"

namespace svc {
namespace {

constexpr std::int64_t k_year_0 = -62'167'219'200;
constexpr std::int64_t k_year_10000 = 253'402'300'800;

// The system's own calendar, as strftime prints it in this program's C locale.
std::string with_strftime(std::int64_t unix_seconds, const char* pattern) {
  const std::time_t time = unix_seconds;
  std::tm broken{};
  ::gmtime_r(&time, &broken);
  char buffer[64];
  return {buffer, std::strftime(buffer, sizeof buffer, pattern, &broken)};
}

TEST_CASE("the local time zone") {
  const test::EnvironmentVariable zone("TZ", "CET-1CEST,M3.5.0,M10.5.0/3");
  CHECK(format_local(1'776'323'959) == "2026-04-16 09:19:19");
  CHECK(format_local(1'767'222'000) == "2026-01-01 00:00:00");
  CHECK(local_time(1'776'323'959).tm_hour == 9);
}

TEST_CASE("known times") {
  CHECK(format_rfc3339(0) == "1970-01-01T00:00:00Z");
  CHECK(format_rfc3339(-1) == "1969-12-31T23:59:59Z");
  CHECK(format_rfc3339(1'776'323'959) == "2026-04-16T07:19:19Z");
  CHECK(format_rfc3339(951'782'400) == "2000-02-29T00:00:00Z");
  CHECK(format_rfc3339(k_year_0) == "0000-01-01T00:00:00Z");
  CHECK(format_http_date(784'111'777) == "Sun, 06 Nov 1994 08:49:37 GMT");
  CHECK(format_http_date(0) == "Thu, 01 Jan 1970 00:00:00 GMT");
}

TEST_CASE("extreme years are clamped") {
  constexpr auto smallest = std::numeric_limits<std::int64_t>::min();
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();
  CHECK(format_rfc3339(k_year_10000) == "9999-12-31T23:59:59Z");
  CHECK(format_rfc3339(largest) == "9999-12-31T23:59:59Z");
  CHECK(format_rfc3339(smallest) == "0000-01-01T00:00:00Z");
  CHECK(format_http_date(largest) == "Fri, 31 Dec 9999 23:59:59 GMT");
  CHECK(format_http_date(smallest) == "Sat, 01 Jan 0000 00:00:00 GMT");
}

TEST_CASE("the calendar agrees with the system's, and parsing reverses formatting") {
  std::mt19937_64 random(3);  // NOLINT: the same every time
  for (int i = 0; i < 20'000; ++i) {
    const auto span = static_cast<std::uint64_t>(k_year_10000 - k_year_0);
    const std::int64_t time = k_year_0 + static_cast<std::int64_t>(random() % span);
    const std::string rfc3339 = format_rfc3339(time);
    const std::string http = format_http_date(time);
    CHECK(parse_rfc3339(rfc3339) == time);
    CHECK(parse_http_date(http) == time);
    if (time < -30'610'224'000)
      continue;  // from year 1000: strftime's %Y prints fewer digits before
    CHECK(rfc3339 == with_strftime(time, "%Y-%m-%dT%H:%M:%SZ"));
    CHECK(http == with_strftime(time, "%a, %d %b %Y %H:%M:%S GMT"));
  }
}

TEST_CASE("every day from 1900 to 2100 follows the previous one") {
  for (std::int64_t day = -25'567; day < 47'482; ++day) {
    const std::string text = format_rfc3339(day * 86'400);
    if (text != with_strftime(day * 86'400, "%Y-%m-%dT%H:%M:%SZ")) FAIL(text);
    if (parse_rfc3339(text) != day * 86'400) FAIL(text);
  }
}

TEST_CASE("RFC 3339 in all its formats") {
  CHECK(parse_rfc3339("1985-04-12T23:20:50.52Z") == 482'196'050);
  CHECK(parse_rfc3339("1996-12-19T16:39:57-08:00") == 851'042'397);
  CHECK(parse_rfc3339("1990-12-31T23:59:60Z") == 662'688'000);
  CHECK(parse_rfc3339("1990-12-31T15:59:60-08:00") == 662'688'000);
  CHECK(parse_rfc3339("1937-01-01T12:00:27.87+00:20") == -1'041'337'173);
  CHECK(parse_rfc3339("2026-04-16t07:19:19z") == 1'776'323'959);
  CHECK(parse_rfc3339("2026-04-16 07:19:19.123456789012345678901Z") == 1'776'323'959);
  CHECK(parse_rfc3339("1969-12-31T23:59:59.9Z") == -1);
  CHECK(parse_rfc3339("2024-02-29T00:00:00Z"));
}

TEST_CASE("invalid RFC 3339 times") {
  for (const char* text : {"",
                           "2026-04-16",
                           "2026-04-16T07:19:19",
                           "2026-04-16T07:19Z",
                           "2026-4-16T07:19:19Z",
                           "2026-04-16T07:19:19+0200",
                           "2026-04-16T07:19:19+02",
                           "2026-04-16T07:19:19.Z",
                           "2026-04-16T07:19:19Zx",
                           " 2026-04-16T07:19:19Z",
                           "2026-13-01T00:00:00Z",
                           "2026-00-01T00:00:00Z",
                           "2026-04-31T00:00:00Z",
                           "2026-04-00T00:00:00Z",
                           "2023-02-29T00:00:00Z",
                           "1900-02-29T00:00:00Z",
                           "2026-04-16T24:00:00Z",
                           "2026-04-16T00:60:00Z",
                           "2026-04-16T00:00:61Z",
                           "2026-04-16T00:00:60Z",
                           "2026-04-16T07:19:19+24:00",
                           "2026-04-16T07:19:19+00:60",
                           "-026-04-16T07:19:19Z",
                           "20260416T071919Z",
                           "now"}) {
    CHECK_MESSAGE(!parse_rfc3339(text), text);
  }
}

TEST_CASE("HTTP dates in the three formats of RFC 9110") {
  CHECK(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT") == 784'111'777);
  CHECK(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT") == 784'111'777);
  CHECK(parse_http_date("Sun Nov  6 08:49:37 1994") == 784'111'777);
  // The day of the week is a name, but need not be that of the date.
  for (const std::string day :
       {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}) {
    CAPTURE(day);
    const std::string brief = day.substr(0, 3);
    CHECK(parse_http_date(brief + ", 06 Nov 1994 08:49:37 GMT") == 784'111'777);
    CHECK(parse_http_date(day + ", 06-Nov-94 08:49:37 GMT") == 784'111'777);
    CHECK(parse_http_date(brief + " Nov  6 08:49:37 1994") == 784'111'777);
  }
  CHECK(parse_http_date("Wed Nov 16 08:49:37 1994") == 784'975'777);
  CHECK(parse_http_date("  Sun, 06 Nov 1994 08:49:37 GMT ") == 784'111'777);
  CHECK(parse_http_date("sun, 06 nov 1994 08:49:37 gmt") == 784'111'777);
}

TEST_CASE("a two-digit year is at most 50 years ahead") {
  const int now = std::stoi(format_rfc3339(unix_now()).substr(0, 4));
  for (int ahead = -49; ahead <= 50; ++ahead) {
    const int year = now + ahead;
    const std::string digits = std::to_string(100 + year % 100).substr(1);
    const auto time = parse_http_date("Sunday, 06-Nov-" + digits + " 08:49:37 GMT");
    REQUIRE(time);
    CHECK(format_rfc3339(*time).substr(0, 4) == std::to_string(year));
  }
}

TEST_CASE("invalid HTTP dates") {
  for (const char* text :
       {"", "0", "120", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 +0000", "Xyz, 06 Nov 1994 08:49:37 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
        "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sun, 06-Nov-94 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sun, ", "Sun ", "NaN"}) {
    CHECK_MESSAGE(!parse_http_date(text), text);
  }
}

TEST_CASE("now is the current time") {
  const std::int64_t before = std::time(nullptr);
  const std::int64_t now = unix_now();
  CHECK(now >= before);
  CHECK(now <= before + 60);
}

}  // namespace
}  // namespace svc
