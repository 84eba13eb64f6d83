#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

#include <doctest/doctest.h>

#include "base/money.h"
#include "base/text.h"

namespace svc {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr auto k_smallest = std::numeric_limits<std::int64_t>::min();
constexpr auto k_largest = std::numeric_limits<std::int64_t>::max();

TEST_CASE("integers are parsed strictly") {
  CHECK(parse_integer("0") == 0);
  CHECK(parse_integer("-0") == 0);
  CHECK(parse_integer("42") == 42);
  CHECK(parse_integer("-7") == -7);
  CHECK(parse_integer("9223372036854775807") == k_largest);
  CHECK(parse_integer("-9223372036854775808") == k_smallest);
  for (const sv text :
       {"", " 1", "1 ", "+1", "-", "--1", "0x10", "1_000", "1,000", "1.0", "1e3", "01", "-01",
        "9223372036854775808", "-9223372036854775809", "NaN", "inf", "one", "１"}) {
    CHECK_MESSAGE(!parse_integer(text), text);
  }
  CHECK_FALSE(parse_integer(sv("1\0", 2)));
}

TEST_CASE("numbers are parsed strictly and must be finite") {  // faults 93
  CHECK(parse_number("0") == 0.0);
  CHECK(parse_number("0.5") == 0.5);
  CHECK(parse_number("-1.25") == -1.25);
  CHECK(parse_number("1e5") == 1e5);
  CHECK(parse_number("1E+2") == 100.0);
  CHECK(parse_number("25e-1") == 2.5);
  CHECK(parse_number("1.7976931348623157e308") == std::numeric_limits<double>::max());
  for (const sv text : {"",         " 1",
                        "1 ",       "+1",
                        "-",        ".5",
                        "5.",       "1e",
                        "1e+",      "e5",
                        "0x10",     "0x1p3",
                        "1_000",    "01",
                        "NaN",      "nan",
                        "inf",      "-inf",
                        "Infinity", "1e309",
                        "-1e309",   "1e999999999999",
                        "1,5",      "--1",
                        "1.2.3"}) {
    CHECK_MESSAGE(!parse_number(text), text);
  }
  CHECK_FALSE(parse_number(sv("1\0", 2)));
}

TEST_CASE("human-readable sizes") {
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(512) == "512 B");
  CHECK(format_bytes(999) == "999 B");
  CHECK(format_bytes(1000) == "1 kB");
  CHECK(format_bytes(1500) == "1.5 kB");
  CHECK(format_bytes(25'000'000) == "25 MB");
  CHECK(format_bytes(48'340'000) == "48.3 MB");
  CHECK(format_bytes(99'940) == "99.9 kB");
  CHECK(format_bytes(99'950) == "100 kB");
  CHECK(format_bytes(999'499) == "999 kB");
  CHECK(format_bytes(999'500) == "1 MB");
  CHECK(format_bytes(std::numeric_limits<std::uint64_t>::max()) == "18.4 EB");
}

TEST_CASE("human-readable durations") {
  CHECK(format_duration(0ms) == "0 ms");
  CHECK(format_duration(850ms) == "850 ms");
  CHECK(format_duration(999ms) == "999 ms");
  CHECK(format_duration(1s) == "1 s");
  CHECK(format_duration(12'340ms) == "12.3 s");
  CHECK(format_duration(59'949ms) == "59.9 s");
  CHECK(format_duration(59'950ms) == "1 min");
  CHECK(format_duration(125s) == "2 min 05 s");
  CHECK(format_duration(3'599'499ms) == "59 min 59 s");
  CHECK(format_duration(3'599'500ms) == "1 h");
  CHECK(format_duration(3h + 10min) == "3 h 10 min");
  CHECK(format_duration(3h + 5min) == "3 h 05 min");
  CHECK(format_duration(24h) == "24 h");
  CHECK(format_duration(130s) == "2 min 10 s");
  CHECK(format_duration(47h + 59min + 29'999ms) == "47 h 59 min");
  CHECK(format_duration(47h + 59min + 30s) == "2 d");
  CHECK(format_duration(75h + 29min + 59'999ms) == "3 d 3 h");
  CHECK(format_duration(75h + 30min) == "3 d 4 h");
  CHECK(format_duration(48h) == "2 d");
  CHECK(format_duration(75h) == "3 d 3 h");
  CHECK(format_duration(-1500ms) == "-1.5 s");
  CHECK(format_duration(milliseconds::min()).substr(0, 1) == "-");
  CHECK(format_duration(milliseconds::max()) == "106751991167 d 7 h");
}

TEST_CASE("durations entered by people") {
  CHECK(parse_duration("90") == 90s);
  CHECK(parse_duration("90s") == 90s);
  CHECK(parse_duration("1.5s") == 1500ms);
  CHECK(parse_duration("250ms") == 250ms);
  CHECK(parse_duration("5m") == 5min);
  CHECK(parse_duration("2h") == 2h);
  CHECK(parse_duration("30d") == 720h);
  CHECK(parse_duration("90", 1ms) == 90ms);
  CHECK(parse_duration("1.5", 1min) == 90s);
  CHECK(parse_duration("0.57s") == 570ms);
  CHECK(parse_duration("0") == 0ms);
  CHECK(parse_duration("0.0001s") == 1ms);  // never rounded to "no limit"
  CHECK(parse_duration("36500d") == 36500 * 24h);
  CHECK(parse_duration("3162240000000ms") == 36600 * 24h);  // a hundred leap years
  CHECK_FALSE(parse_duration("3162240000001ms"));
  for (const sv text : {"",     "s",    "-1",   "-1s",    "+1s",
                        " 1s",  "1s ",  "1 s",  "1.s",    ".5s",
                        "1e3s", "1S",   "1min", "1w",     "NaN",
                        "inf",  "0x10", "1_0s", "40000d", "99999999999999999999d",
                        "1m30s"}) {
    CHECK_MESSAGE(!parse_duration(text), text);
  }
  CHECK_FALSE(parse_duration(std::string(400, '9')));
}

TEST_CASE("money is exact") {
  CHECK(format_ticks(0) == "$0.00");
  CHECK(format_ticks(42'000'000) == "$0.0042");
  CHECK(format_ticks(1) == "$0.0000000001");
  CHECK(format_ticks(k_ticks_per_cent) == "$0.01");
  CHECK(format_ticks(12 * k_ticks_per_dollar) == "$12.00");
  CHECK(format_ticks(-3 * k_ticks_per_dollar / 2) == "-$1.50");
  CHECK(format_ticks(k_ticks_per_dollar + 1) == "$1.0000000001");
  CHECK(format_ticks(k_largest) == "$922337203.6854775807");
  CHECK(format_ticks(k_smallest) == "-$922337203.6854775808");
}

}  // namespace
}  // namespace svc
