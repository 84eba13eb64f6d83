#include "emulator/api/keys/team_models.h"

#include <algorithm>
#include <array>
#include <span>

#include <nlohmann/json.hpp>

#include "emulator/account/clusters.h"
#include "emulator/account/media_models.h"
#include "emulator/account/models.h"

namespace svc::emulator::keys {
namespace {

using sv = std::string_view;
using media::MediaModel;
using text::Json;

struct AudioModel {
  sv name;
  sv alias;  ///< empty: none
  std::int64_t prompt_price = 0, completion_price = 0;
};

constexpr std::array k_audio = {
    AudioModel{"svc-voice-think-fast-2.0", "svc-voice-latest", 50'000, 200'000},
    AudioModel{"svc-voice-think-fast-1.0", "", 50'000, 200'000},
    AudioModel{"svc-transcribe", "", 20'000, 20'000}};
constexpr sv k_embedding = "svc-embedding-small";
constexpr std::int64_t k_embedding_price = 2'000;
constexpr std::int64_t k_long_context = 200'000;

std::string digits(std::int64_t number) {
  return std::to_string(number);
}

Json words(std::initializer_list<sv> list) {
  Json out = Json::array();
  for (const sv word : list) out.push_back(word);
  return out;
}

Json aliases_of(const auto& model) {
  Json aliases = Json::array();
  for (const sv alias : model.aliases) aliases.push_back(alias);
  return aliases;
}

struct Common {
  sv name;
  sv version = "1.0.0";
  Json aliases = Json::array();
  Json inputs;
  Json outputs;
  std::int64_t rpm = 0;
  std::int64_t tpm = 0;
};

// The members that every kind has.
Json common_members(Common model, sv cluster) {
  return {{"name", model.name},
          {"version", model.version},
          {"aliases", std::move(model.aliases)},
          {"inputModalities", std::move(model.inputs)},
          {"outputModalities", std::move(model.outputs)},
          {"cluster", cluster},
          {"rps", digits(std::max<std::int64_t>(1, model.rpm / 60))},
          {"rpm", digits(model.rpm)},
          {"rph", digits(model.rpm * 60)},
          {"rpd", digits(model.rpm * 60 * 24)},
          {"tpm", digits(model.tpm)},
          {"rateLimits",
           {{"queryOffset", "0"},
            {"queryBaseRate", digits(model.rpm)},
            {"queryMultiplier", "1"},
            {"tokenOffset", "0"},
            {"tokenBaseRate", digits(model.tpm)},
            {"tokenMultiplier", "1"}}}};
}

Json language_model(const Model& model, sv cluster) {
  Json out = common_members({.name = model.name,
                             .version = model.version,
                             .aliases = aliases_of(model),
                             .inputs = model.images ? words({"TEXT", "IMAGE"}) : words({"TEXT"}),
                             .outputs = words({"TEXT"}),
                             .rpm = 10'000,
                             .tpm = 10'000'000},
                            cluster);
  // Cents per 100 million tokens are ticks per token, and so is the unit of the prices for long
  // contexts.
  const std::int64_t factor = model.context_length > k_long_context ? 2 : 1;
  out["promptTextTokenPrice"] = digits(model.prompt_price);
  out["promptImageTokenPrice"] = digits(model.images ? model.prompt_price : 0);
  out["promptTextTokenPriceLongContext"] = digits(model.prompt_price * factor);
  out["cachedPromptTokenPrice"] = digits(model.cached_price);
  out["completionTextTokenPrice"] = digits(model.completion_price);
  out["completionTokenPriceLongContext"] = digits(model.completion_price * factor);
  out["searchPrice"] = digits(model.source_price);
  out["maxPromptLength"] = model.context_length;
  out["longContextThreshold"] = digits(std::min(model.context_length, k_long_context));
  out["features"] = {
      {"functionCalling", true}, {"structuredOutputs", true}, {"reasoning", model.reasoning}};
  out["algorithm"] = "emulated";
  return out;
}

// At 2K an image costs twice as much.
Json image_model(const MediaModel& model, sv cluster) {
  Json out = common_members({.name = model.name,
                             .version = model.version,
                             .aliases = aliases_of(model),
                             .inputs = words({"TEXT", "IMAGE"}),
                             .outputs = words({"IMAGE"}),
                             .rpm = 300},
                            cluster);
  out["imagePrice"] = digits(model.price);
  out["resolutionPricing"] = Json::array(
      {Json{{"resolution", "IMAGE_RESOLUTION_1K"}, {"pricePerImage", digits(model.price)}},
       Json{{"resolution", "IMAGE_RESOLUTION_2K"}, {"pricePerImage", digits(model.price * 2)}}});
  out["pricePerInputImage"] = "0";
  return out;
}

// At 720p a second costs 1.4 times as much as at 480p, at 1080p twice.
Json video_model(const MediaModel& model, sv cluster) {
  Json out = common_members({.name = model.name,
                             .version = model.version,
                             .aliases = aliases_of(model),
                             .inputs = words({"TEXT", "IMAGE", "VIDEO"}),
                             .outputs = words({"VIDEO"}),
                             .rpm = 60},
                            cluster);
  Json& list = out["resolutionPricing"] = Json::array();
  const auto add = [&](sv resolution, std::int64_t tenths) {
    list.push_back(
        {{"resolution", resolution}, {"pricePerSecond", digits(model.price * tenths / 10)}});
  };
  add("VIDEO_RESOLUTION_480P", 10);
  add("VIDEO_RESOLUTION_720P", 14);
  if (model.full_hd) add("VIDEO_RESOLUTION_1080P", 20);
  out["pricePerInputImage"] = "0";
  out["pricePerInputVideoSecond"] = "0";
  return out;
}

Json audio_model(const AudioModel& model, sv cluster) {
  Json aliases = Json::array();
  if (!model.alias.empty()) aliases.push_back(model.alias);
  const bool speaks = model.name != "svc-transcribe";
  Json out = common_members({.name = model.name,
                             .aliases = std::move(aliases),
                             .inputs = words({"TEXT", "AUDIO"}),
                             .outputs = speaks ? words({"TEXT", "AUDIO"}) : words({"TEXT"}),
                             .rpm = 600,
                             .tpm = 1'000'000},
                            cluster);
  out["promptTokenPrice"] = digits(model.prompt_price);
  out["completionTokenPrice"] = digits(model.completion_price);
  out["supportedClients"] = Json::array(
      {Json{{"clientName", "default"}, {"description", "Any program that speaks the protocol."}}});
  return out;
}

Json embedding_model(sv cluster) {
  Json out = common_members(
      {.name = k_embedding, .inputs = words({"TEXT"}), .outputs = words({"TEXT"}), .rpm = 1'000},
      cluster);
  out["promptTextTokenPrice"] = digits(k_embedding_price);
  return out;
}

Json cluster_config(sv cluster) {
  Json language = Json::array();
  Json images = Json::array();
  Json audio = Json::array();
  Json videos = Json::array();
  for (const Model& model : models()) language.push_back(language_model(model, cluster));
  for (const AudioModel& model : k_audio) audio.push_back(audio_model(model, cluster));
  for (const MediaModel& model : media::media_models()) {
    const bool image = model.product == media::Product::Image;
    image ? images.push_back(image_model(model, cluster))
          : videos.push_back(video_model(model, cluster));
  }
  return {{"clusterName", cluster},
          {"languageModels", std::move(language)},
          {"embeddingModels", Json::array({embedding_model(cluster)})},
          {"imageGenerationModels", std::move(images)},
          {"audioModels", std::move(audio)},
          {"videoGenerationModels", std::move(videos)}};
}

}  // namespace

text::Json team_models() {
  Json configs = Json::array();
  for (const sv cluster : k_clusters) configs.push_back(cluster_config(cluster));
  return {{"clusterConfigs", std::move(configs)}};
}

bool is_team_model(std::string_view name) {
  const auto named = [&](const auto& list) {
    return std::ranges::any_of(list, [&](const auto& model) { return model.name == name; });
  };
  return named(models()) || named(media::media_models()) || named(k_audio) || name == k_embedding;
}

}  // namespace svc::emulator::keys
