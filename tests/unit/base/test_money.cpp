#include <string>

#include <doctest/doctest.h>

#include "base/money.h"

using namespace svc;

TEST_CASE("a price in cents per 100 million tokens is shown per million tokens") {
  // 20,000 cents per 100 million tokens are $200 per 100 million, $2 per million.
  CHECK(format_money("20000", MoneyUnit::TokenPrice) == "$2.00");
  CHECK(format_money("150000", MoneyUnit::TokenPrice) == "$15.00");
  CHECK(format_money("7500", MoneyUnit::TokenPrice) == "$0.75");
  CHECK(format_money("1", MoneyUnit::TokenPrice) == "$0.0001");
}

TEST_CASE("a price of 1/100,000,000 cent per token is the same number per million tokens") {
  // The number per million tokens equals the price per token in ticks.
  for (const long price : {1L, 20'000L, 40'000L, 123'456L}) {
    CHECK(format_money(std::to_string(price), MoneyUnit::TokenPrice) ==
          format_ticks(price * 1'000'000));
  }
  CHECK(format_money("40000", MoneyUnit::TokenPrice) == "$4.00");
}

TEST_CASE("prices per image and per second are 1/100,000,000 cent") {
  // 7 cents.
  CHECK(format_money("700000000", MoneyUnit::Tick) == "$0.07");
  CHECK(format_money("50000000", MoneyUnit::Tick) == "$0.005");
  CHECK(format_money("1", MoneyUnit::Tick) == "$0.0000000001");
}

TEST_CASE("the unit price of an invoice line is 1/1,000,000 cent") {
  CHECK(format_money("1000000", MoneyUnit::MicroCent) == "$0.01");
  CHECK(format_money("200", MoneyUnit::MicroCent) == "$0.000002");
}

TEST_CASE("nothing is rounded and nothing overflows") {
  CHECK(format_money("123456789012345678901234567890", MoneyUnit::Cent) ==
        "$1234567890123456789012345678.90");
  CHECK(format_money("-1250", MoneyUnit::Cent) == "-$12.50");
  CHECK(format_money("0", MoneyUnit::Tick) == "$0.00");
  CHECK(format_money("-0", MoneyUnit::Cent) == "$0.00");
  CHECK(format_money("007", MoneyUnit::Cent) == "$0.07");
  CHECK(format_cents(INT64_MIN) == "-$92233720368547758.08");
  for (const char* text : {"", "-", "1.5", "1e3", " 1", "x"}) {
    CHECK_FALSE(format_money(text, MoneyUnit::Cent).has_value());
  }
}

TEST_CASE("amounts as people write them") {
  CHECK(parse_dollars("12.50") == 1250);
  CHECK(parse_dollars("12.5") == 1250);
  CHECK(parse_dollars("12") == 1200);
  CHECK(parse_dollars("$12.50") == 1250);
  CHECK(parse_dollars("12.50USD") == 1250);
  CHECK(parse_dollars("12.50 usd") == 1250);
  CHECK(parse_dollars("0.01") == 1);
  CHECK(parse_dollars("92233720368547758.07") == INT64_MAX);
  for (const char* text :
       {"", ".", "12.", ".5", "12.505", "-1", "+1", "1,000", "1_000", "12EUR", "USD", "$", "$ 1",
        "1e3", "0x10", " 1", "12.50  USD", "nan", "92233720368547758.08"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_dollars(text).has_value());
  }
}

TEST_CASE("a cost has two significant digits below a cent, and cents above") {
  CHECK(format_cost(0) == "$0.00");
  CHECK(format_cost(1) == "$0.0000000001");
  CHECK(format_cost(123) == "$0.000000012");
  CHECK(format_cost(3'912'345) == "$0.00039");
  CHECK(format_cost(9'949'999) == "$0.00099");
  CHECK(format_cost(9'950'000) == "$0.001");
  CHECK(format_cost(k_ticks_per_cent) == "$0.01");
  CHECK(format_cost(123'456'789) == "$0.012");
  CHECK(format_cost(995'000'000) == "$0.10");
  CHECK(format_cost(1'234'567'890) == "$0.12");
  CHECK(format_cost(12'345'678'900) == "$1.23");
  CHECK(format_cost(99'995'000'000'000) == "$9999.50");
  CHECK(format_cost(-3'912'345) == "-$0.00039");
}

TEST_CASE("amounts of ten decimals") {
  CHECK(parse_ticks("$1.5") == 15'000'000'000);
  CHECK(parse_ticks("0.0000000001") == 1);
  CHECK_FALSE(parse_ticks("0.00000000001"));
  CHECK(parse_ticks("99999999") == 99'999'999 * k_ticks_per_dollar);
  CHECK_FALSE(parse_ticks("100000000"));
  CHECK_FALSE(parse_ticks("100000000.0"));
}

TEST_CASE("what may be spent is rounded up and what is left down, so that more never looks less") {
  CHECK(format_cost(525'000'001, Rounding::Up) == "$0.053");
  CHECK(format_cost(525'000'001, Rounding::Down) == "$0.052");
  CHECK(format_cost(520'000'000, Rounding::Up) == "$0.052");
  CHECK(format_cost(520'000'000, Rounding::Down) == "$0.052");
  CHECK(format_cost(-525'000'001, Rounding::Up) == "-$0.052");
  CHECK(format_cost(-525'000'001, Rounding::Down) == "-$0.053");
  for (const std::int64_t end : {INT64_MAX, INT64_MIN}) {
    CHECK_FALSE(format_cost(end, Rounding::Up).empty());
    CHECK_FALSE(format_cost(end, Rounding::Down).empty());
  }
  for (std::int64_t ticks = 1; ticks < INT64_MAX / 7; ticks = ticks * 7 + 3) {
    const auto up = parse_ticks(format_cost(ticks, Rounding::Up));
    const auto down = parse_ticks(format_cost(ticks, Rounding::Down));
    if (!up || !down) continue;  // more than eight digits
    CHECK(*up >= ticks);
    CHECK(*down <= ticks);
    CHECK(*up - *down <= std::max<std::int64_t>(ticks / 10, 1));
  }
}

TEST_CASE("a cost is rounded to the nearest, and up from the middle") {
  CHECK(format_cost(99) == "$0.0000000099");
  CHECK(format_cost(100) == "$0.00000001");
  CHECK(format_cost(104) == "$0.00000001");
  CHECK(format_cost(105) == "$0.000000011");
  CHECK(format_cost(-99) == "-$0.0000000099");
  CHECK(format_cost(-104) == "-$0.00000001");
  CHECK(format_cost(-105) == "-$0.00000001");
  CHECK(format_cost(-106) == "-$0.000000011");
  CHECK(format_cost(524'999'999) == "$0.052");
  CHECK(format_cost(525'000'000) == "$0.053");
}

TEST_CASE("amounts within a cent of the ends of the range are not rounded") {
  CHECK(format_cost(INT64_MAX, Rounding::Up) == "$922337203.6854775807");
  CHECK(format_cost(INT64_MAX, Rounding::Down) == "$922337203.68");
  CHECK(format_cost(INT64_MAX - k_ticks_per_cent, Rounding::Up) == "$922337203.68");
  CHECK(format_cost(INT64_MAX - k_ticks_per_cent + 1, Rounding::Up) == "$922337203.6754775808");
  CHECK(format_cost(INT64_MIN, Rounding::Up) == "-$922337203.68");
  CHECK(format_cost(INT64_MIN, Rounding::Down) == "-$922337203.6854775808");
  CHECK(format_cost(INT64_MIN + k_ticks_per_cent, Rounding::Down) == "-$922337203.68");
  CHECK(format_cost(INT64_MIN + k_ticks_per_cent - 1, Rounding::Down) == "-$922337203.6754775809");
}
