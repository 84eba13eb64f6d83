#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "emulator/account/ledger.h"
#include "management_support.h"

using namespace svc::emulator;
using namespace svc::test;

namespace {

nlohmann::json clusters(ManagementApi& api) {
  return nlohmann::json::parse(api.get(k_team_path + "/models").body)["clusterConfigs"];
}

}  // namespace

TEST_CASE("every cluster lists all five kinds, with their common fields") {
  ManagementApi api;
  const nlohmann::json list = clusters(api);
  REQUIRE(list.size() == 2);
  for (const nlohmann::json& cluster : list) {
    for (const char* kind : {"languageModels", "embeddingModels", "imageGenerationModels",
                             "audioModels", "videoGenerationModels"}) {
      CAPTURE(kind);
      REQUIRE_FALSE(cluster[kind].empty());
      for (const nlohmann::json& model : cluster[kind]) {
        CHECK(model["cluster"] == cluster["clusterName"]);
        for (const char* member : {"name", "version", "rps", "rpm", "rph", "rpd", "tpm"}) {
          CHECK(model[member].is_string());
        }
        for (const char* member : {"aliases", "inputModalities", "outputModalities"}) {
          CHECK(model[member].is_array());
        }
        CHECK(model["rateLimits"].size() == 6);
        for (const nlohmann::json& limit : model["rateLimits"]) CHECK(limit.is_string());
      }
    }
  }
}

TEST_CASE("language models: documented prices agree with the cost of calls") {
  ManagementApi api;
  const nlohmann::json list = clusters(api)[0]["languageModels"];
  REQUIRE(list.size() == models().size());
  for (const nlohmann::json& entry : list) {
    const Model* model = find_model(entry["name"].get<std::string>());
    REQUIRE(model != nullptr);
    // In cents per 100 million tokens, a thousandth of the price is the cost of 100,000 tokens,
    // which are below every threshold of long prompts.
    const std::int64_t ticks = price(*model, {.prompt = 100'000});
    CHECK(entry["promptTextTokenPrice"] == std::to_string(ticks / 100'000));
    const std::int64_t said = price(*model, {.completion = 100'000'000});
    CHECK(entry["completionTextTokenPrice"] == std::to_string(said / 100'000'000));
    CHECK(entry["maxPromptLength"].is_number_integer());
    CHECK(entry["features"]["reasoning"] == model->reasoning);
  }
}

TEST_CASE("prices of images and videos are strings by resolution") {
  ManagementApi api;
  const nlohmann::json cluster = clusters(api)[0];
  for (const nlohmann::json& model : cluster["imageGenerationModels"]) {
    CHECK(model["imagePrice"] == model["resolutionPricing"][0]["pricePerImage"]);
    CHECK(model["resolutionPricing"][0]["resolution"] == "IMAGE_RESOLUTION_1K");
    CHECK(model["pricePerInputImage"].is_string());
  }
  for (const nlohmann::json& model : cluster["videoGenerationModels"]) {
    CHECK(model["resolutionPricing"][0]["pricePerSecond"].is_string());
    CHECK(model["pricePerInputVideoSecond"].is_string());
  }
  CHECK(cluster["audioModels"][0]["supportedClients"][0]["clientName"].is_string());
}

TEST_CASE("the lines of a bill total the price") {
  const TokenUse use{
      .prompt = 1'000, .cached = 300, .completion = 50, .reasoning = 7, .sources = 2};
  for (const Model& model : models()) {
    const auto charges = charges_of(model, use);
    CHECK(charges.size() == 4);
    CHECK(total_ticks(charges) == 700 * model.prompt_price + 300 * model.cached_price +
                                      57 * model.completion_price + 2 * k_source_price);
  }
  CHECK(charges_of(models().front(), {}).empty());
}

TEST_CASE("a prompt over the long-context threshold costs the price that the team's models list") {
  ManagementApi api;
  const nlohmann::json cluster = clusters(api)[0];
  const Model& model = *find_model("svc-4.5");
  nlohmann::json shown;
  for (const nlohmann::json& one : cluster["languageModels"]) {
    if (one["name"] == "svc-4.5") shown = one;
  }
  const auto number = [&](const char* name) { return std::stoll(shown[name].get<std::string>()); };
  const std::int64_t threshold = number("longContextThreshold");
  CHECK(price(model, {.prompt = threshold, .completion = 1}) ==
        threshold * number("promptTextTokenPrice") + number("completionTextTokenPrice"));
  CHECK(price(model, {.prompt = threshold + 1, .completion = 1}) ==
        (threshold + 1) * number("promptTextTokenPriceLongContext") +
            number("completionTokenPriceLongContext"));
  CHECK(number("promptTextTokenPriceLongContext") > number("promptTextTokenPrice"));
}
