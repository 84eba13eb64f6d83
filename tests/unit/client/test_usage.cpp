#include <string>

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

TEST_CASE("each count of a usage, in both spellings") {
  const auto chat = read_usage(
      R"({"usage":{"prompt_tokens":1,"completion_tokens":"2","input_tokens":70,"output_tokens":80,)"
      R"("prompt_tokens_details":{"cached_tokens":3},"input_tokens_details":{"cached_tokens":90},)"
      R"("completion_tokens_details":{"reasoning_tokens":4},"num_sources_used":5,)"
      R"("output_tokens_details":{"reasoning_tokens":60}}})");
  REQUIRE(chat);
  CHECK(chat->input_tokens == 1);
  CHECK(chat->output_tokens == 2);
  CHECK(chat->cached_tokens == 3);
  CHECK(chat->reasoning_tokens == 4);
  CHECK(chat->sources == 5);
  CHECK_FALSE(chat->cost_ticks);
  const auto response = read_usage(
      R"({"usage":{"input_tokens":1,"output_tokens":2,"input_tokens_details":{"cached_tokens":3},)"
      R"("output_tokens_details":{"reasoning_tokens":4}}})");
  REQUIRE(response);
  CHECK(response->input_tokens == 1);
  CHECK(response->output_tokens == 2);
  CHECK(response->cached_tokens == 3);
  CHECK(response->reasoning_tokens == 4);
  for (const char* one : {R"({"usage":{"prompt_tokens":7}})", R"({"usage":{"input_tokens":7}})"}) {
    CAPTURE(one);
    const auto usage = read_usage(one);
    REQUIRE(usage);
    CHECK(usage->input_tokens == 7);
    CHECK(usage->output_tokens == 0);
    CHECK(usage->cached_tokens == 0);
    CHECK(usage->reasoning_tokens == 0);
    CHECK(usage->sources == 0);
    CHECK_FALSE(usage->cost_ticks);
  }
  const auto message =
      read_usage(R"({"usage":{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":6}})");
  REQUIRE(message);
  CHECK(message->cached_tokens == 6);
  for (const char* none : {"{}", R"({"usage":null})", R"({"usage":[]})", R"({"usage":{}})",
                           R"({"usage":"{\"a\":1}"})", "[]"}) {
    CAPTURE(none);
    CHECK_FALSE(read_usage(none));
  }
}

TEST_CASE("a count has at most a million dollars in ticks, and none is below zero") {
  const auto input = [](const std::string& count) {
    return read_usage(R"({"usage":{"input_tokens":)" + count + "}}")->input_tokens;
  };
  CHECK(input("10000000000000000") == 10'000'000'000'000'000);
  CHECK(input("10000000000000001") == 10'000'000'000'000'000);
  CHECK(input("99999999999999999999") == 10'000'000'000'000'000);
  CHECK(input("\"99999999999999999999\"") == 10'000'000'000'000'000);
  CHECK(input("9999999999999999999") == 10'000'000'000'000'000);
  CHECK(input("-99999999999999999999") == 0);
  CHECK(input("9.9999999999999999999") == 0);
  CHECK(input("1.5") == 0);
  CHECK(input("\"\"") == 0);
  CHECK(input("null") == 0);
}

TEST_CASE("a budget is used up by what it is") {
  const Budget budget{.limit = 5'000'000'000};
  CHECK(budget.may_spend(4'999'999'999));
  const auto refused = budget.may_spend(5'000'000'000);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().fault == Fault::Limited);
  CHECK(refused.error().message.starts_with("spent $0.50 of --max-cost $0.50; "));
  CHECK(refused.error().hint == "Raise --max-cost to continue.");
  CHECK(budget.verdict(5'000'000'001, "and so on") == "spent $0.51 of --max-cost $0.50; and so on");
}

TEST_CASE("what a cache saved is added up") {
  Usage sum;
  sum.add({.saved_ticks = 2});
  sum.add({});
  sum.add({.saved_ticks = 3});
  CHECK(sum.saved_ticks == 5);
}

TEST_CASE("a cost in nano-dollars counts if there is no other") {
  CHECK(read_usage(R"({"usage":{"input_tokens":1,"cost_in_nano_usd":42}})")->cost_ticks == 420);
  CHECK(read_usage(R"({"usage":{"cost_in_usd_ticks":7,"cost_in_nano_usd":42}})")->cost_ticks == 7);
  CHECK(read_usage(R"({"usage":{"cost_in_usd_ticks":null,"cost_in_nano_usd":9223372036854775807}})")
            ->cost_ticks == 10'000'000'000'000'000);
}
