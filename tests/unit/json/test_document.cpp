// Reading fields of any operation's response, and the remaining budget of a run.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "client/usage.h"
#include "json/document.h"

using namespace svc;

TEST_CASE("a document is one line, and always UTF-8") {
  using nlohmann::json;
  using nlohmann::ordered_json;
  CHECK(compact_json(ordered_json{{"z", 1}, {"a", "ä\n"}}) == "{\"z\":1,\"a\":\"ä\\n\"}");
  CHECK(compact_json(json{{"z", 1}, {"a", nullptr}}) == R"({"a":null,"z":1})");
  CHECK(compact_json(json("a\xff")) == "\"a\xef\xbf\xbd\"");
  CHECK(compact_json(json(1.5)) == "1.5");
}

TEST_CASE("usage is read from any response, and only from its own field") {
  const auto image = read_usage(
      R"({"data":[{"b64_json":"AAAA"}],"usage":{"cost_in_usd_ticks":200000000,"num_sources_used":2}})");
  REQUIRE(image);
  CHECK(image->cost_ticks == 200'000'000);
  CHECK(image->sources == 2);
  CHECK(image->input_tokens == 0);
  const auto chat = read_usage(
      R"({"usage":{"prompt_tokens":"9","completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4}}})");
  REQUIRE(chat);
  CHECK(chat->input_tokens == 9);
  CHECK(chat->cached_tokens == 4);
  CHECK_FALSE(chat->cost_ticks.has_value());
  for (const char* none : {"{}", R"({"usage":null})", R"({"usage":{}})", R"({"usage":7})", "[]", "",
                           "no JSON", R"({"usage":{"cost_in_usd_ticks":)"}) {
    CAPTURE(none);
    CHECK_FALSE(read_usage(none).has_value());
  }
}

TEST_CASE("a budget is reported in one sentence") {
  CHECK(Budget{}.may_spend(1'000'000'000'000));
  const Budget budget{42'000'000};
  CHECK(budget.may_spend(41'999'999));
  CHECK_FALSE(budget.is_used_up(41'999'999));
  CHECK(budget.is_used_up(42'000'000));
  const auto over = budget.may_spend(43'000'000);
  REQUIRE_FALSE(over);
  CHECK(over.error().fault == Fault::Limited);
  CHECK(over.error().message == "spent $0.0043 of --max-cost $0.0042; no more requests are sent");
  CHECK(over.error().hint == "Raise --max-cost to continue.");
  CHECK(budget.verdict(43'000'000, "the rest was canceled").ends_with("; the rest was canceled"));
}

TEST_CASE("texts of a document: the first that is not empty, and values of any type") {
  const nlohmann::json file = parse_reply(R"({"id":"","file_id":"f","size":7,"none":null})");
  CHECK(text_member(file, {"id", "file_id"}) == "f");
  CHECK(text_member(file, {"size", "name"}).empty());
  CHECK(text_member(nlohmann::json(7), {"id"}).empty());
  CHECK(plain_text(member(file, "file_id")) == "f");
  CHECK(plain_text(member(file, "size")) == "7");
  CHECK(plain_text(member(file, "none")).empty());
  CHECK(text_or_null("").is_null());
  CHECK(text_or_null("a") == "a");
}

TEST_CASE("a reply is read however it is encoded, in the order of its fields where that counts") {
  CHECK(parse_reply(R"({"b":"\ud800","a":1e999})") ==
        nlohmann::json{{"a", 1.7976931348623157e308}, {"b", "\uFFFD"}});
  CHECK(compact_json(parse_reply_in_order("{\"b\":\"\xff\",\"a\":1}")) ==
        "{\"b\":\"\uFFFD\",\"a\":1}");
  CHECK(parse_reply("no json").is_discarded());
  CHECK(parse_reply_in_order("{").is_discarded());
  const OrderedJson ordered =
      parse_reply_in_order(R"({"t":"x","n":1.50,"o":{"b":1,"a":"\u00e9"}})");
  CHECK(text_member(ordered, "t") == "x");
  CHECK(text_member(ordered, "n").empty());
  CHECK(text_member(ordered, "none").empty());
  CHECK(text_member(OrderedJson("t"), "t").empty());
  CHECK(plain_text(ordered["t"]) == "x");
  CHECK(plain_text(ordered["n"]) == "1.5");
  CHECK(plain_text(ordered["o"]) == R"({"b":1,"a":"é"})");
  CHECK(plain_text(OrderedJson()).empty());
  CHECK(plain_text(parse_reply(R"([1,"a"])")) == R"([1,"a"])");
  for (const char* none : {"7", "[1]", "\"a\"", "null", "{}", R"({"b":1})"}) {
    CAPTURE(none);
    CHECK(member(parse_reply(none), "a").is_null());
  }
  CHECK(member(parse_reply(R"({"b":1,"a":false})"), "a") == false);
}
