#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "client/config_file.h"
#include "client/model_facts.h"

using namespace svc;

TEST_CASE("prices are read in both spellings and as numbers or strings") {
  const auto models = read_model_facts(
      R"({"models":[{"id":"a","prompt_text_token_price":20000,"completion_text_token_price":"100000",)"
      R"("long_context_threshold":200000,"prompt_text_token_price_long_context":40000,"aliases":["b"]}]})");
  REQUIRE(models.size() == 1);
  const ModelFacts* found = find_facts(models, "b");
  REQUIRE(found != nullptr);
  CHECK(found->name == "a");
  CHECK(found->price(Price::Input) == 20'000);
  CHECK(found->price(Price::Output) == 100'000);
  CHECK(found->price(Price::LongInput) == 40'000);
  CHECK_FALSE(found->price(Price::Cached));
  CHECK_FALSE(found->is_long(200'000));
  CHECK(found->is_long(200'001));
  const auto team = read_model_facts(
      R"({"clusterConfigs":[{"languageModels":[{"name":"a","promptTextTokenPrice":"7","rps":"3",)"
      R"("tpm":"0","maxPromptLength":9,"cachedPromptTokenPrice":"2"}]},{"imageGenerationModels":[)"
      R"({"name":"i","imagePrice":"1"}]}]})");
  REQUIRE(team.size() == 2);
  CHECK(team[0].price(Price::Input) == 7);
  CHECK(team[0].price(Price::Cached) == 2);
  CHECK(team[0].requests_per_second == 3);
  CHECK(team[0].max_prompt == 9);
  CHECK(team[1].price(Price::Image) == 1);
}

TEST_CASE("each price, count and feature of a model, by its own name") {
  std::string members;
  int number = 1;
  for (const PriceRow& row : price_rows()) {
    for (const std::string_view member : row.members) {
      if (!member.empty()) members += fmt::format(",\"{}\":{}", member, number);
    }
    ++number;
  }
  const auto models = read_model_facts(
      R"({"models":[{"id":"a","name":"other","context_length":5,"rpm":6,"tpm":"7","rps":8,)"
      R"("long_context_threshold":9,"features":{"reasoning":true},"aliases":["b",3,"c"])" +
      members + "}]}");
  REQUIRE(models.size() == 1);
  const ModelFacts& one = models.front();
  number = 1;
  for (const PriceRow& row : price_rows()) {
    CAPTURE(row.setting);
    const bool published = !row.members.front().empty();
    CHECK(one.price(row.price) == (published ? std::optional<std::int64_t>(number) : std::nullopt));
    ++number;
  }
  CHECK(one.name == "a");
  CHECK(one.aliases == std::vector<std::string>{"b", "c"});
  CHECK(one.max_prompt == 5);
  CHECK(one.requests_per_minute == 6);
  CHECK(one.tokens_per_minute == 7);
  CHECK(one.requests_per_second == 8);
  CHECK(one.long_from == 9);
  CHECK(one.reasons == true);
  CHECK(one.is_named("a"));
  CHECK(one.is_named("c"));
  CHECK_FALSE(one.is_named("other"));
  CHECK(find_facts(models, "d") == nullptr);
  CHECK_FALSE(read_model_facts(R"({"models":[{"features":{"reasoning":1}}]})")[0].reasons);
  CHECK_FALSE(read_model_facts(R"({"models":[{"id":"a"}]})")[0].is_long(1));
}

TEST_CASE("a price has the names of both of the service's lists, and a unit") {
  const struct {
    Price of;
    const char* setting;
    std::int64_t scale;
    std::vector<const char*> members;
  } rows[] = {
      {Price::Input, "input_per_million", 1'000'000, {"prompt_text_token_price"}},
      {Price::InputPicture, "image_input_per_million", 1'000'000, {"prompt_image_token_price"}},
      {Price::Cached,
       "cached_per_million",
       1'000'000,
       {"cached_prompt_text_token_price", "cachedPromptTokenPrice"}},
      {Price::Output, "output_per_million", 1'000'000, {"completionTextTokenPrice"}},
      {Price::LongInput,
       "long_input_per_million",
       1'000'000,
       {"prompt_text_token_price_long_context"}},
      {Price::LongOutput,
       "long_output_per_million",
       1'000'000,
       {"completion_token_price_long_context", "completionTextTokenPriceLongContext"}},
      {Price::Source, "search_per_source", 1, {"search_price"}},
      {Price::Image, "image", 1, {"image_price"}},
      {Price::InputImage, "input_image", 1, {"price_per_input_image"}},
      {Price::VideoSecond, "video_per_second", 1, {"video_price_per_second"}},
      {Price::InputSecond, "input_video_per_second", 1, {"pricePerInputVideoSecond"}},
      {Price::Character, "tts_per_million_characters", 1'000'000, {}},
      {Price::SoundSecond, "stt_per_hour", 3'600, {}},
      {Price::TalkSecond, "realtime_per_minute", 60, {}},
  };
  REQUIRE(price_rows().size() == std::size(rows));
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    const auto& [of, setting, scale, members] = rows[i];
    CAPTURE(setting);
    CHECK(price_rows()[i].price == of);
    CHECK(price_rows()[i].setting == setting);
    CHECK(*read_price(price_rows()[i], "1000") == (10'000'000'000'000 + scale - 1) / scale);
    for (const char* member : members) {
      CAPTURE(member);
      const auto models =
          read_model_facts(fmt::format(R"({{"models":[{{"id":"a","{}":7}}]}})", member));
      for (const PriceRow& row : price_rows()) {
        CHECK(models[0].price(row.price).has_value() == (row.price == of));
      }
    }
  }
}

TEST_CASE("a price is at most a million dollars") {
  const auto image = [](const char* price) {
    return read_model_facts(
               fmt::format(R"({{"models":[{{"id":"a","image_price":{}}}]}})", price))[0]
        .price(Price::Image);
  };
  CHECK(image("10000000000000000") == 10'000'000'000'000'000);
  CHECK_FALSE(image("10000000000000001"));
  CHECK(image("0") == 0);
  CHECK_FALSE(image("-1"));
  CHECK_FALSE(image("1.5"));
  CHECK_FALSE(image("\"1.5\""));
  const PriceRow each{Price::Image, "image", 1};
  CHECK(*read_price(each, "1000000") == 10'000'000'000'000'000);
  const auto large = read_price(each, "1000000.0000000001");
  REQUIRE_FALSE(large);
  CHECK(large.error().message ==
        "the price image must be an amount in US dollars with at most ten decimals, such as 2.50, "
        "not '1000000.0000000001'");
  const PriceRow million{Price::Input, "input_per_million", 1'000'000};
  CHECK(*read_price(million, "0.0001") == 1);
  CHECK(*read_price(million, "0.00010001") == 2);  // rounded up
  CHECK(*read_price(million, "0") == 0);
}

TEST_CASE("sizes of another form are left out") {
  const auto models = read_model_facts(
      R"({"models":[{"id":"i","resolution_pricing":[3,{"resolution":"x","price_per_image":1},)"
      R"({"resolution":"1K","price_per_image":"much"},{"price_per_image":4},)"
      R"({"resolution":"4K","price_per_image":9},{"resolution":"2K","price_per_second":5}]}]})");
  REQUIRE(models[0].sizes.size() == 2);
  CHECK(models[0].sizes[0].resolution == "2k");
  CHECK(models[0].sizes[0].ticks == 5);
  CHECK(models[0].sized_price("2K") == 5);
  CHECK(models[0].sized_price("3k") == 9);
  ModelFacts plain;
  CHECK_FALSE(plain.sized_price(""));
  plain.prices[static_cast<std::size_t>(Price::VideoSecond)] = 2;
  CHECK(plain.sized_price("") == 2);
  plain.prices[static_cast<std::size_t>(Price::Image)] = 1;
  CHECK(plain.sized_price("") == 1);
}

TEST_CASE("a price by resolution is that of the next larger one") {
  const auto models = read_model_facts(
      R"({"models":[{"id":"i","resolution_pricing":[{"resolution":"IMAGE_RESOLUTION_2K","price_per_image":"4"},)"
      R"({"resolution":"IMAGE_RESOLUTION_1K","price_per_image":2}]},)"
      R"({"id":"v","resolutionPricing":[{"resolution":"VIDEO_RESOLUTION_480P","pricePerSecond":"5"}]},)"
      R"({"id":"old","image_price":3}]})");
  REQUIRE(models.size() == 3);
  CHECK(models[0].sized_price("") == 2);
  CHECK(models[0].sized_price("1k") == 2);
  CHECK(models[0].sized_price("1.5k") == 4);
  CHECK_FALSE(models[0].sized_price("4k"));
  CHECK(models[1].sized_price("480p") == 5);
  CHECK_FALSE(models[1].sized_price("720p"));
  CHECK(models[2].sized_price("") == 3);
  CHECK_FALSE(models[2].sized_price("2k"));
}

TEST_CASE("a list of another form has no prices") {
  for (const char* document :
       {"", "{}", "[]", "{\"models\":3}", "{\"models\":[1,{\"id\":5}]}",
        "{\"models\":[{\"id\":\"a\",\"prompt_text_token_price\":-1}]}",
        "{\"models\":[{\"id\":\"a\",\"prompt_text_token_price\":1e300,\"aliases\":{}}]}",
        "{\"clusterConfigs\":[3,{\"languageModels\":7}]}",
        "{\"clusterConfigs\":[{\"languageModels\":{\"x\":{\"name\":\"a\",\"promptTextTokenPrice\":"
        "1}}}]}",
        "{\"clusterConfigs\":[{\"languageModel\":[{\"name\":\"a\",\"promptTextTokenPrice\":1}]}]"
        "}"}) {
    CAPTURE(document);
    for (const ModelFacts& one : read_model_facts(document)) CHECK_FALSE(one.price(Price::Input));
  }
}

TEST_CASE("a profile's prices have units") {
  const auto file = ConfigFile::parse("config.toml",
                                      "[profile.work.prices]\ntts_per_million_characters = 15\n"
                                      "stt_per_hour = \"0.1\"\n");
  REQUIRE(file);
  const ConfigValue* given = file->value("work", "prices.stt_per_hour");
  REQUIRE(given != nullptr);
  for (const PriceRow& row : price_rows()) {
    // Rounded up: a limit must hold.
    if (row.price == Price::SoundSecond) CHECK(*read_price(row, given->text) == 277'778);
    if (row.price == Price::Character) CHECK(*read_price(row, "15") == 150'000);
    CHECK_FALSE(read_price(row, "-1"));
    CHECK_FALSE(read_price(row, "much"));
  }
  CHECK_FALSE(ConfigFile::parse("config.toml", "[profile.w.prices]\nstt_per_hour = true\n"));
  const auto typo = ConfigFile::parse("config.toml", "[profile.w.prices]\nstt_per_hours = 1\n");
  REQUIRE(typo);
  REQUIRE(typo->warnings().size() == 1);
  CHECK(typo->warnings().front().find("did you mean stt_per_hour?") != std::string::npos);
}

TEST_CASE("the cache saves the difference of two prices, if both are known") {
  ModelFacts facts;
  CHECK_FALSE(facts.cache_savings(10, 5));
  facts.prices[static_cast<std::size_t>(Price::Input)] = 20'000;
  CHECK_FALSE(facts.cache_savings(10, 5));
  facts.prices[static_cast<std::size_t>(Price::Cached)] = 7'500;
  CHECK(facts.cache_savings(10, 5) == 62'500);
  CHECK(facts.cache_savings(10, 0) == 0);
  CHECK(facts.cache_savings(10, 800'000'000'000) == 10'000'000'000'000'000);
  CHECK_FALSE(facts.cache_savings(10, 800'000'000'001));
  CHECK_FALSE(facts.cache_savings(INT64_MAX, INT64_MAX));
  facts.long_from = 8;  // the price of cached tokens in a long request is not published
  CHECK_FALSE(facts.cache_savings(10, 5));
  CHECK(facts.cache_savings(8, 5) == 62'500);
  facts.prices[static_cast<std::size_t>(Price::Cached)] = 20'000;
  CHECK(facts.cache_savings(8, 5) == 0);
  facts.prices[static_cast<std::size_t>(Price::Cached)] = 30'000;
  CHECK_FALSE(facts.cache_savings(8, 5));
}
