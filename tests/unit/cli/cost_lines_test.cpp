// What svc says about the cost of answers, before and after.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/money.h"
#include "operation/estimate.h"
#include "session/cost_tracker.h"

using namespace svc;
using namespace svc::cli;
using nlohmann::json;

namespace {

constexpr std::int64_t k_cent = k_ticks_per_cent;

Quote priced(std::int64_t input, std::int64_t output) {
  return {.input = {.low = 7, .about = 10, .high = 20},
          .least = input / 2,
          .about = input,
          .fixed = input * 2,
          .output = 100,
          .output_price = 1,
          .most = input + output};
}

Quote by_quantity(std::int64_t ticks) {
  return {.least = ticks, .about = ticks, .fixed = ticks, .most = ticks, .by_quantity = true};
}

Estimate estimate_of(std::initializer_list<Quote> quotes) {
  Estimate estimate;
  for (const Quote& quote : quotes) estimate.add(quote);
  return estimate;
}

}  // namespace

TEST_CASE("the line of an answer's cost") {
  CHECK(cost_line({}).empty());
  CHECK(cost_line({.input_tokens = 1}) == "1 token in, 0 out");
  CHECK(cost_line({.output_tokens = 1}) == "0 tokens in, 1 out");
  CHECK(cost_line({.input_tokens = 9,
                   .output_tokens = 3,
                   .reasoning_tokens = 1,
                   .cached_tokens = 1,
                   .sources = 1,
                   .cost_ticks = 2 * k_cent}) ==
        "9 tokens in (1 cached), 3 out (1 reasoning), 1 sources, $0.02");
  CHECK(cost_line({.cost_ticks = 2 * k_cent}) == "$0.02");
  CHECK(cost_line({.sources = 4}) == "4 sources");
}

TEST_CASE("the line of the prompt cache") {
  CHECK(cache_line({}).empty());
  CHECK(cache_line({.cached_tokens = 1}) == "1 token came from the prompt cache");
  CHECK(cache_line({.cached_tokens = 2, .saved_ticks = k_cent}) ==
        "2 tokens came from the prompt cache, which saved $0.01");
}

TEST_CASE("an estimate adds up, and says what each part costs") {
  const Estimate one = estimate_of({priced(k_cent, 4 * k_cent)});
  CHECK(one.is_priced());
  CHECK(one.text() ==
        "Input: about 10 tokens (7 to 20), $0.01\n"
        "Output: at most 100 tokens, $0.04\n"
        "Cost: at most $0.05\n");
  CHECK(one.words() == "about $0.01 for the input, at most $0.05");
  const Estimate two = estimate_of({priced(k_cent, 4 * k_cent), priced(2 * k_cent, k_cent)});
  CHECK(two.text() ==
        "Input: about 20 tokens (14 to 40), $0.03\n"
        "Output: at most 200 tokens, $0.05\n"
        "Cost: at most $0.08\n");
  CHECK(json::parse(two.json()) == json({{"requests", 2},
                                         {"input_tokens", 20},
                                         {"input_tokens_low", 14},
                                         {"input_tokens_high", 40},
                                         {"output_tokens_most", 200},
                                         {"input_cost_in_usd_ticks", 3 * k_cent},
                                         {"most_cost_in_usd_ticks", 8 * k_cent},
                                         {"unknown", nullptr}}));
}

TEST_CASE("an exact count has no range, and the most is rounded up") {
  Quote exact = priced(k_cent, 4 * k_cent + 1);
  exact.input = {.low = 10, .about = 10, .high = 10};
  CHECK(estimate_of({exact}).text() ==
        "Input: 10 tokens, $0.01\n"
        "Output: at most 100 tokens, $0.041\n"
        "Cost: at most $0.051\n");
}

TEST_CASE("what is charged by quantity costs what it costs") {
  const Estimate sure = estimate_of({by_quantity(k_cent + 1), by_quantity(k_cent)});
  CHECK(sure.text() == "Cost: $0.02\n");
  CHECK(sure.words() == "$0.02");
  // One that may cost less makes the sum a limit.
  const Estimate mixed = estimate_of({by_quantity(k_cent), priced(k_cent, k_cent)});
  CHECK(mixed.words() == "about $0.02 for the input, at most $0.03");
}

TEST_CASE("an unknown part makes the sum unknown, and the first reason is given") {
  Quote open = priced(k_cent, 0);
  open.most.reset();
  open.unknown = "no limit";
  const Estimate output = estimate_of({priced(k_cent, k_cent), open});
  CHECK(output.is_priced());
  CHECK(output.text() ==
        "Input: about 20 tokens (14 to 40), $0.02\n"
        "Cost: at most unknown: no limit\n");
  CHECK(output.words() == "about $0.02 for the input; the cost of the output is unknown: no limit");
  const Estimate both =
      estimate_of({{.unknown = "no price"}, priced(k_cent, k_cent), {.unknown = "other"}});
  CHECK_FALSE(both.is_priced());
  CHECK(both.words() == "the cost is unknown: no price");
  const json told = json::parse(both.json());
  CHECK(told["requests"] == 3);
  CHECK(told["input_cost_in_usd_ticks"].is_null());
  CHECK(told["most_cost_in_usd_ticks"].is_null());
  CHECK(told["unknown"] == "no price");
  CHECK_FALSE(Estimate().is_priced());
}
