#include <doctest/doctest.h>

#include "client/usage.h"

using namespace svc;

TEST_CASE("impossible counts do not spoil a total") {
  const auto usage =
      read_usage(R"({"usage":{"prompt_tokens":18446744073709551615,"completion_tokens":-5,)"
                 R"("cost_in_usd_ticks":9223372036854775807}})");
  REQUIRE(usage);
  CHECK(usage->output_tokens == 0);
  CHECK(usage->input_tokens > 0);
  Usage sum;
  for (int i = 0; i < 500; ++i) sum.add(*usage);
  CHECK(sum.input_tokens == 500 * usage->input_tokens);
  CHECK(sum.cost_ticks == 500 * *usage->cost_ticks);
  CHECK(sum.output_tokens == 0);
}

TEST_CASE("a total has a cost once one of its parts has one") {
  Usage sum;
  sum.add({.input_tokens = 3, .output_tokens = 1});
  CHECK_FALSE(sum.cost_ticks);
  sum.add({.reasoning_tokens = 2, .cached_tokens = 4, .sources = 5, .cost_ticks = 7});
  sum.add({.cost_ticks = 1});
  CHECK(sum.input_tokens == 3);
  CHECK(sum.reasoning_tokens == 2);
  CHECK(sum.cached_tokens == 4);
  CHECK(sum.sources == 5);
  CHECK(sum.cost_ticks == 8);
}

TEST_CASE("a cost in nano-dollars counts if there is no other") {
  CHECK(read_usage(R"({"usage":{"input_tokens":1,"cost_in_nano_usd":42}})")->cost_ticks == 420);
  CHECK(read_usage(R"({"usage":{"cost_in_usd_ticks":7,"cost_in_nano_usd":42}})")->cost_ticks == 7);
  CHECK(read_usage(R"({"usage":{"cost_in_usd_ticks":null,"cost_in_nano_usd":9223372036854775807}})")
            ->cost_ticks == 10'000'000'000'000'000);
}
