#include "emulator/api/keys/key_wire.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <openssl/rand.h>

#include "base/clock.h"
#include "base/text.h"
#include "emulator/account/auth.h"
#include "emulator/account/models.h"
#include "emulator/json/check.h"

namespace svc::emulator::keys {
namespace {

constexpr sv k_endpoint_prefix = "api-key:endpoint:";
constexpr sv k_model_prefix = "api-key:model:";
constexpr std::size_t k_max_name_length = 200;
constexpr std::int64_t k_max_per_time = 2'147'483'647;  // 32-bit integers

using media::MediaModel;

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

// Whether this is the name (not an alias) of a model of any kind.
bool is_team_model(std::string_view name) {
  const auto named = [&](const auto& list) {
    return std::ranges::any_of(list, [&](const auto& model) { return model.name == name; });
  };
  return named(models()) || named(media::media_models()) || named(k_audio) || name == k_embedding;
}

std::optional<Response> read_name(const Json& object, KeyRecord& key) {
  key.name = text::get_string(object, "name");
  if (trim(key.name).empty()) return management::empty_field_error("name");
  if (count_code_points(key.name) > k_max_name_length) {
    return management::invalid_field_error(
        "name", fmt::format("The name is longer than {} characters.", k_max_name_length),
        "too-long");
  }
  return std::nullopt;
}

bool is_known_acl(const std::string& acl) {
  const auto rest = [&](sv prefix) { return acl.substr(prefix.size()); };
  if (acl.starts_with(k_endpoint_prefix)) {
    const auto name = rest(k_endpoint_prefix);
    return name == "*" || std::ranges::find(k_endpoints, name) != k_endpoints.end();
  }
  if (!acl.starts_with(k_model_prefix)) return false;
  return rest(k_model_prefix) == "*" || is_team_model(rest(k_model_prefix));
}

std::optional<Response> read_acls(const Json& object, sv member, KeyRecord& key) {
  key.acls.clear();
  const Json* list = text::member(object, member);
  if (list == nullptr) return std::nullopt;
  for (const Json& item : *list) {
    const auto acl = item.get<std::string>();
    if (!is_known_acl(acl)) {
      return management::invalid_field_error(
          member,
          fmt::format(
              "{} is not a permission. They are api-key:endpoint:NAME and api-key:model:NAME "
              "with the names of the team's endpoints and models, or *.",
              excerpt(acl, 80)),
          "unknown-acl");
    }
    if (std::ranges::find(key.acls, acl) == key.acls.end()) key.acls.push_back(acl);
  }
  return std::nullopt;
}

// Zero is the default, which means no limit.
std::optional<Response> read_limit(const Json& object, sv member, std::int64_t most,
                                   std::optional<std::int64_t>& limit) {
  limit = std::nullopt;
  if (text::member(object, member) == nullptr) return std::nullopt;
  const auto number = management::get_int64(object, member);
  if (!number || *number < 0 || *number > most) {
    return management::invalid_field_error(
        member, fmt::format("The value is not a whole number from 0 to {}.", most), "range");
  }
  if (*number > 0) limit = number;
  return std::nullopt;
}

struct Common {
  sv name{};
  sv version = "1.0.0";
  sv alias{};
  Json inputs{};
  Json outputs{};
  std::int64_t rpm = 0;
  std::int64_t tpm = 0;
};

// The fields of every kind.
Json common_fields(Common model, sv cluster) {
  return {{"name", model.name},
          {"version", model.version},
          {"aliases", model.alias.empty() ? Json::array() : Json::array({model.alias})},
          {"inputModalities", std::move(model.inputs)},
          {"outputModalities", std::move(model.outputs)},
          {"cluster", cluster},
          {"rps", std::to_string(std::max<std::int64_t>(1, model.rpm / 60))},
          {"rpm", std::to_string(model.rpm)},
          {"rph", std::to_string(model.rpm * 60)},
          {"rpd", std::to_string(model.rpm * 60 * 24)},
          {"tpm", std::to_string(model.tpm)},
          {"rateLimits",
           {{"queryOffset", "0"},
            {"queryBaseRate", std::to_string(model.rpm)},
            {"queryMultiplier", "1"},
            {"tokenOffset", "0"},
            {"tokenBaseRate", std::to_string(model.tpm)},
            {"tokenMultiplier", "1"}}}};
}

Json language_model(const Model& model, sv cluster) {
  Json out = common_fields(
      {.name = model.name,
       .version = model.version,
       .alias = model.alias,
       .inputs = model.images ? Json::array({"TEXT", "IMAGE"}) : Json::array({"TEXT"}),
       .outputs = Json::array({"TEXT"}),
       .rpm = 10'000,
       .tpm = 10'000'000},
      cluster);
  // Cents per 100 million tokens equal ticks per token, also for the prices of long contexts.
  const std::int64_t factor =
      model.context_length > long_context_of(model) ? k_long_context_factor : 1;
  out["promptTextTokenPrice"] = std::to_string(model.prompt_price);
  out["promptImageTokenPrice"] = std::to_string(model.images ? model.prompt_price : 0);
  out["promptTextTokenPriceLongContext"] = std::to_string(model.prompt_price * factor);
  out["cachedPromptTokenPrice"] = std::to_string(model.cached_price);
  out["completionTextTokenPrice"] = std::to_string(model.completion_price);
  out["completionTokenPriceLongContext"] = std::to_string(model.completion_price * factor);
  out["searchPrice"] = std::to_string(k_source_price);
  out["maxPromptLength"] = model.context_length;
  out["longContextThreshold"] = std::to_string(long_context_of(model));
  out["features"] = {
      {"functionCalling", true}, {"structuredOutputs", true}, {"reasoning", model.reasoning}};
  out["algorithm"] = "emulated";
  return out;
}

// At 2K, an image costs twice as much.
Json image_model(const MediaModel& model, sv cluster) {
  Json out = common_fields({.name = model.name,
                            .version = model.version,
                            .alias = model.alias,
                            .inputs = Json::array({"TEXT", "IMAGE"}),
                            .outputs = Json::array({"IMAGE"}),
                            .rpm = 300},
                           cluster);
  out["imagePrice"] = std::to_string(model.price);
  out["resolutionPricing"] = Json::array(
      {Json{{"resolution", "IMAGE_RESOLUTION_1K"}, {"pricePerImage", std::to_string(model.price)}},
       Json{{"resolution", "IMAGE_RESOLUTION_2K"},
            {"pricePerImage", std::to_string(model.price * 2)}}});
  out["pricePerInputImage"] = "0";
  return out;
}

// At 720p, a second costs 1.4 times as much as at 480p, at 1080p twice as much.
Json video_model(const MediaModel& model, sv cluster) {
  Json out = common_fields({.name = model.name,
                            .version = model.version,
                            .alias = model.alias,
                            .inputs = Json::array({"TEXT", "IMAGE", "VIDEO"}),
                            .outputs = Json::array({"VIDEO"}),
                            .rpm = 60},
                           cluster);
  Json& list = out["resolutionPricing"] = Json::array();
  const auto add = [&](sv resolution, std::int64_t tenths) {
    list.push_back({{"resolution", resolution},
                    {"pricePerSecond", std::to_string(model.price * tenths / 10)}});
  };
  add("VIDEO_RESOLUTION_480P", 10);
  add("VIDEO_RESOLUTION_720P", 14);
  if (model.full_hd) add("VIDEO_RESOLUTION_1080P", 20);
  out["pricePerInputImage"] = "0";
  out["pricePerInputVideoSecond"] = "0";
  return out;
}

Json audio_model(const AudioModel& model, sv cluster) {
  const bool speaks = model.name != "svc-transcribe";
  Json out =
      common_fields({.name = model.name,
                     .alias = model.alias,
                     .inputs = Json::array({"TEXT", "AUDIO"}),
                     .outputs = speaks ? Json::array({"TEXT", "AUDIO"}) : Json::array({"TEXT"}),
                     .rpm = 600,
                     .tpm = 1'000'000},
                    cluster);
  out["promptTokenPrice"] = std::to_string(model.prompt_price);
  out["completionTokenPrice"] = std::to_string(model.completion_price);
  out["supportedClients"] = Json::array(
      {Json{{"clientName", "default"}, {"description", "Any program that speaks the protocol."}}});
  return out;
}

Json embedding_model(sv cluster) {
  Json out = common_fields({.name = k_embedding,
                            .inputs = Json::array({"TEXT"}),
                            .outputs = Json::array({"TEXT"}),
                            .rpm = 1'000},
                           cluster);
  out["promptTextTokenPrice"] = std::to_string(k_embedding_price);
  return out;
}

Json cluster_config(sv cluster) {
  const auto listed = [&](const auto& models, const auto& describe) {
    return text::json_list(models, [&](const auto& model) { return describe(model, cluster); });
  };
  Json images = Json::array();
  Json videos = Json::array();
  for (const MediaModel& model : media::media_models()) {
    const bool image = model.product == media::Product::Image;
    image ? images.push_back(image_model(model, cluster))
          : videos.push_back(video_model(model, cluster));
  }
  return {{"clusterName", cluster},
          {"languageModels", listed(models(), language_model)},
          {"embeddingModels", Json::array({embedding_model(cluster)})},
          {"imageGenerationModels", std::move(images)},
          {"audioModels", listed(k_audio, audio_model)},
          {"videoGenerationModels", std::move(videos)}};
}

}  // namespace

Json key_object(const KeyRecord& key, sv secret) {
  Json object = {{"apiKeyId", key.id}};
  if (!secret.empty()) object["apiKey"] = secret;
  object["redactedApiKey"] = key.redacted;
  object["name"] = key.name;
  object["userId"] = key.user_id;
  object["teamId"] = key.team_id;
  object["createTime"] = format_rfc3339(key.create_time);
  object["modifyTime"] = format_rfc3339(key.modify_time);
  if (key.disabled) object["disabled"] = true;
  if (key.expire_time) object["expireTime"] = format_rfc3339(*key.expire_time);
  if (key.qps) object["qps"] = *key.qps;
  if (key.qpm) object["qpm"] = *key.qpm;
  if (key.tpm) object["tpm"] = std::to_string(*key.tpm);
  if (!key.acls.empty()) object["aclStrings"] = key.acls;
  return object;
}

std::string new_secret() {
  constexpr sv k_digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  constexpr std::size_t k_length = 80;
  std::string secret = "svc-";
  while (secret.size() < k_length + 4) {
    unsigned char byte = 0;
    if (RAND_bytes(&byte, 1) != 1) break;
    if (byte < k_digits.size() * 4) secret += k_digits[byte % k_digits.size()];  // avoids bias
  }
  return secret;
}

std::string redact(sv secret) {
  return fmt::format("svc-...{}",
                     secret.substr(secret.size() - std::min<std::size_t>(4, secret.size())));
}

// `acls` on creation, `aclStrings` in the key itself.
const text::Types& key_types() {
  static const text::Types k_types(R"(
create = {name, acls: texts, qps: int64, qpm: int64, tpm: int64, expireTime}
update = {apiKey!: {name, disabled: boolean, aclStrings: texts, acls: texts, qps: int64, qpm: int64,
                    tpm: int64, expireTime}, fieldMask}
rotate = {expireTime, oldSecretExpireTime}
)");
  return k_types;
}

std::optional<Response> read_member(const Json& object, sv member, KeyRecord& key) {
  constexpr std::int64_t k_max = std::numeric_limits<std::int64_t>::max();
  if (member == "name") return read_name(object, key);
  if (member == "acls" || member == "aclStrings") return read_acls(object, member, key);
  if (member == "qps") return read_limit(object, member, k_max_per_time, key.qps);
  if (member == "qpm") return read_limit(object, member, k_max_per_time, key.qpm);
  if (member == "tpm") return read_limit(object, member, k_max, key.tpm);
  if (member == "disabled") key.disabled = text::get_bool(object, member, false);
  if (member == "expireTime") {
    SVC_TRY(time, management::time_of(member, text::get_string(object, member)));
    key.expire_time = time;
  }
  return std::nullopt;
}

text::Json team_models() {
  return {{"clusterConfigs", text::json_list(k_clusters, cluster_config)}};
}

}  // namespace svc::emulator::keys
