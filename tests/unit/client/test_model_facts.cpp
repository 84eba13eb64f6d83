#include <doctest/doctest.h>

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
  CHECK_FALSE(facts.cache_savings(INT64_MAX, INT64_MAX));
  facts.long_from = 8;  // the price of cached tokens in a long request is not published
  CHECK_FALSE(facts.cache_savings(10, 5));
  CHECK(facts.cache_savings(8, 5) == 62'500);
  facts.prices[static_cast<std::size_t>(Price::Cached)] = 30'000;
  CHECK_FALSE(facts.cache_savings(8, 5));
}
