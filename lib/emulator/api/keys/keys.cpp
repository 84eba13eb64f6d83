#include "emulator/api/keys/keys.h"

#include <nlohmann/json.hpp>

#include "emulator/account/ledger.h"

namespace svc::emulator::keys {
namespace {

constexpr sv k_endpoint_prefix = "api-key:endpoint:";
constexpr sv k_model_prefix = "api-key:model:";
constexpr std::size_t k_max_name_length = 200;
constexpr std::int64_t k_max_per_time = 2'147'483'647;  // 32-bit integers

using media::MediaModel;

/// A model that only this listing has.
struct OwnModel {
  sv name;
  sv alias;  ///< empty: none
  std::int64_t prompt_price = 0, completion_price = 0;
};

constexpr std::array k_audio = {
    OwnModel{"svc-voice-think-fast-2.0", "svc-voice-latest", 50'000, 200'000},
    OwnModel{"svc-voice-think-fast-1.0", "", 50'000, 200'000},
    OwnModel{"svc-transcribe", "", 20'000, 20'000}};
constexpr std::array k_embeddings = {OwnModel{"svc-embedding-small", "", 2'000}};

// Whether this is the name (not an alias) of a model of any kind.
bool is_team_model(sv name) {
  const auto named = [&](const auto& list) {
    return std::ranges::any_of(list, [&](const auto& model) { return model.name == name; });
  };
  return named(models()) || named(media::media_models()) || named(k_audio) || named(k_embeddings);
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
    return name == "*" || has_element(k_endpoints, name);
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
              excerpt(acl)),
          "unknown-acl");
    }
    if (!has_element(key.acls, acl)) key.acls.push_back(acl);
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

struct Limits {
  std::int64_t rpm = 0;  ///< requests a minute
  std::int64_t tpm = 0;  ///< tokens a minute
};

// The fields of every kind, and `own` ones.
template <typename AnyModel>
Json team_model(const AnyModel& model, Json inputs, const char* output, Limits limits, sv cluster,
                const Json& own) {
  sv version = "1.0.0";
  if constexpr (requires { model.version; }) version = model.version;
  Json out = {{"name", model.name},
              {"version", version},
              {"aliases", model.alias.empty() ? Json::array() : Json::array({model.alias})},
              {"inputModalities", std::move(inputs)},
              {"outputModalities",
               sv(output) == "AUDIO" ? Json::array({"TEXT", "AUDIO"}) : Json::array({output})},
              {"cluster", cluster},
              {"rps", std::to_string(std::max<std::int64_t>(1, limits.rpm / 60))},
              {"rpm", std::to_string(limits.rpm)},
              {"rph", std::to_string(limits.rpm * 60)},
              {"rpd", std::to_string(limits.rpm * 60 * 24)},
              {"tpm", std::to_string(limits.tpm)},
              {"rateLimits",
               {{"queryOffset", "0"},
                {"queryBaseRate", std::to_string(limits.rpm)},
                {"queryMultiplier", "1"},
                {"tokenOffset", "0"},
                {"tokenBaseRate", std::to_string(limits.tpm)},
                {"tokenMultiplier", "1"}}}};
  out.update(own);
  return out;
}

// Cents per 100 million tokens equal ticks per token, also for the prices of long contexts.
Json language_model(const Model& model, sv cluster) {
  const std::int64_t factor =
      model.context_length > long_context_of(model) ? k_long_context_factor : 1;
  return team_model(
      model, model.images ? Json::array({"TEXT", "IMAGE"}) : Json::array({"TEXT"}), "TEXT",
      {10'000, 10'000'000}, cluster,
      {{"promptTextTokenPrice", std::to_string(model.prompt_price)},
       {"promptImageTokenPrice", std::to_string(model.images ? model.prompt_price : 0)},
       {"promptTextTokenPriceLongContext", std::to_string(model.prompt_price * factor)},
       {"cachedPromptTokenPrice", std::to_string(model.cached_price)},
       {"completionTextTokenPrice", std::to_string(model.completion_price)},
       {"completionTokenPriceLongContext", std::to_string(model.completion_price * factor)},
       {"searchPrice", std::to_string(k_source_price)},
       {"maxPromptLength", model.context_length},
       {"longContextThreshold", std::to_string(long_context_of(model))},
       {"features",
        {{"functionCalling", true}, {"structuredOutputs", true}, {"reasoning", model.reasoning}}},
       {"algorithm", "emulated"}});
}

Json media_model(const MediaModel& model, sv cluster) {
  Json sizes = Json::array();
  if (model.product == media::Product::Image) {
    for (const sv size : {"1k", "2k"}) {
      sizes.push_back({{"resolution", size == "1k" ? "IMAGE_RESOLUTION_1K" : "IMAGE_RESOLUTION_2K"},
                       {"pricePerImage", std::to_string(media::image_price(model, size, ""))}});
    }
    return team_model(model, Json::array({"TEXT", "IMAGE"}), "IMAGE", {300, 0}, cluster,
                      {{"imagePrice", std::to_string(model.price)},
                       {"resolutionPricing", std::move(sizes)},
                       {"pricePerInputImage", "0"}});
  }
  for (const int side : {480, 720, 1080}) {
    if (side > 720 && !model.full_hd) continue;
    sizes.push_back({{"resolution", fmt::format("VIDEO_RESOLUTION_{}P", side)},
                     {"pricePerSecond", std::to_string(media::video_price(model, side, 1))}});
  }
  return team_model(model, Json::array({"TEXT", "IMAGE", "VIDEO"}), "VIDEO", {60, 0}, cluster,
                    {{"resolutionPricing", std::move(sizes)},
                     {"pricePerInputImage", "0"},
                     {"pricePerInputVideoSecond", "0"}});
}

Json audio_model(const OwnModel& model, sv cluster) {
  return team_model(
      model, Json::array({"TEXT", "AUDIO"}), model.name == "svc-transcribe" ? "TEXT" : "AUDIO",
      {600, 1'000'000}, cluster,
      {{"promptTokenPrice", std::to_string(model.prompt_price)},
       {"completionTokenPrice", std::to_string(model.completion_price)},
       {"supportedClients",
        Json::array({Json{{"clientName", "default"},
                          {"description", "Any program that speaks the protocol."}}})}});
}

Json embedding_model(const OwnModel& model, sv cluster) {
  return team_model(model, Json::array({"TEXT"}), "TEXT", {1'000, 0}, cluster,
                    {{"promptTextTokenPrice", std::to_string(model.prompt_price)}});
}

Json cluster_config(sv cluster) {
  const auto listed = [&](const auto& models, const auto& describe) {
    return text::json_list(models, [&](const auto& model) { return describe(model, cluster); });
  };
  const auto of = [&](media::Product product) {
    Json list = Json::array();
    for (const MediaModel& model : media::media_models()) {
      if (model.product == product) list.push_back(media_model(model, cluster));
    }
    return list;
  };
  return {{"clusterName", cluster},
          {"languageModels", listed(models(), language_model)},
          {"embeddingModels", listed(k_embeddings, embedding_model)},
          {"imageGenerationModels", of(media::Product::Image)},
          {"audioModels", listed(k_audio, audio_model)},
          {"videoGenerationModels", of(media::Product::Video)}};
}

// Reads a field of a key from `object`, where absent means its default; returns the refusal.
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
    const auto byte = static_cast<unsigned char>(random_bytes(1).front());
    if (byte < k_digits.size() * 4) secret += k_digits[byte % k_digits.size()];  // avoids bias
  }
  return secret;
}

std::string redact(sv secret) {
  return fmt::format("svc-...{}",
                     secret.substr(secret.size() - std::min<std::size_t>(4, secret.size())));
}

}  // namespace svc::emulator::keys

namespace svc::emulator {
namespace {

using management::Code;
using management::Json;

constexpr std::int64_t k_day_ms = 86'400'000;
constexpr std::int64_t k_max_overlap_ms = 7 * k_day_ms;  // after a rotation
constexpr std::int64_t k_propagation_ms = 500;           // per cluster
constexpr sv k_page_seal = "key page";

// An admin sees all keys of the team, a member only their own.
bool is_admin(const KeyRecord& caller) {
  return caller.user_id == k_demo_user_id;
}

// Runs `work(database, key)` in one transaction on the key in the path that the caller may see.
template <typename Work>
Response with_named(const Request& request, Work&& work) {
  return response_or_error(request.state->change([&](Database& database) -> Result<Response> {
    const std::string& id = request.params.at("api_key_id");
    SVC_TRY(key, keys::find_by_id(database, request.key.team_id, id));
    const bool visible = key && (is_admin(request.key) || key->user_id == request.key.user_id);
    if (!visible) return management::not_found_error("API key", id);
    return work(database, *key);
  }));
}

Response rate_limit_error(std::int64_t wait_ms) {
  Response response = management::error_response(
      Code::ResourceExhausted,
      "Too many API keys were created in a short time. Leave 1.5 s between them.",
      "rate-limit:create-api-key");
  response.headers.push_back({"Retry-After", std::to_string((wait_ms + 999) / 1000)});
  return response;
}

Response create_key(const Request& request) {
  SVC_TRY(body, management::read_body(request, "key_create"));
  KeyRecord key;
  for (const sv member : {"name", "acls", "qps", "qpm", "tpm", "expireTime"}) {
    if (auto error = keys::read_member(body, member, key)) return *error;
  }
  const std::int64_t now = request.state->now_ms();
  const std::string secret = keys::new_secret();
  key.id = request.state->new_uuid();
  key.redacted = keys::redact(secret);
  key.team_id = request.key.team_id;
  key.user_id = key.modified_by = request.key.user_id;
  key.create_time = key.modify_time = now / 1000;
  return response_or_error(request.state->change([&](Database& database) -> Result<Response> {
    SVC_TRY(wait_ms, keys::admit_creation(database, key.team_id, now));
    if (wait_ms > 0) return rate_limit_error(wait_ms);
    SVC_CHECK(keys::insert_key(database, key, secret, keys::Kind::Inference, now));
    return json_response(keys::key_object(key, secret));
  }));
}

Response list_keys(const Request& request) {
  keys::KeyQuery query{.team_id = request.key.team_id};
  if (!is_admin(request.key)) query.user_id = request.key.user_id;
  if (const auto token = request.query_value("paginationToken"); token && !token->empty()) {
    const auto position = read_page_number(k_page_seal, *token);
    if (!position) {
      return management::invalid_field_error(
          "paginationToken", "The token comes from no page of this listing.", "invalid-token");
    }
    query.after = *position;
  }
  SVC_TRY(size, management::query_number(request, "pageSize", 1, 1'000'000));
  query.limit = size.value_or(query.limit);
  for (const Header& pair : request.query) {
    if (pair.name == "aclFilters" && !pair.value.empty()) query.acls.push_back(pair.value);
  }
  if (request.query_value("activeOnly").value_or("") == "true") {
    query.unexpired_at = request.state->now_ms() / 1000;
  }
  SVC_TRY(page, checked(request.state->with(
                    [&](Database& database) { return keys::list_keys(database, query); })));
  Json body = {{"apiKeys", text::json_list(page.keys, [](const KeyRecord& key) {
                  return keys::key_object(key);
                })}};
  if (page.more) {
    body["paginationToken"] = make_page_token(k_page_seal, {std::to_string(page.position)});
  }
  return json_response(body);
}

// `fieldMask` lists the fields of `apiKey` to apply.
std::optional<Response> apply_mask(const Json& body, KeyRecord& key) {
  const std::string mask = text::get_string(body, "fieldMask");
  if (trim(mask).empty()) return management::empty_field_error("fieldMask");
  constexpr std::array<sv, 8> k_known = {"name", "disabled", "expireTime", "qps",
                                         "qpm",  "tpm",      "aclStrings", "acls"};
  for (const sv part : split(mask, ',')) {
    const sv member = trim(part);
    if (!has_element(k_known, member)) {
      return management::invalid_field_error(
          "fieldMask",
          fmt::format("{} is not among the fields that can be changed: {}.", excerpt(member),
                      join(k_known, ", ")),
          "unknown-field");
    }
    if (auto error = keys::read_member(body["apiKey"], member, key)) return error;
  }
  return std::nullopt;
}

Response update_key(const Request& request) {
  SVC_TRY(body, management::read_body(request, "key_update"));
  return with_named(request, [&](Database& database, KeyRecord& key) -> Result<Response> {
    if (auto error = apply_mask(body, key)) return *error;
    key.modified_by = request.key.user_id;
    key.modify_time = request.state->now_ms() / 1000;
    SVC_CHECK(keys::update_key(database, key, request.state->now_ms()));
    return json_response(keys::key_object(key));
  });
}

// Returns how long the previous secret remains valid, in milliseconds.
Checked<std::int64_t> old_secret_end(const Json& body, const KeyRecord& key, std::int64_t now) {
  constexpr sv name = "oldSecretExpireTime";
  SVC_TRY(requested_s, management::time_of(name, text::get_string(body, name)));
  const std::int64_t end = requested_s ? *requested_s * 1000 : now + k_day_ms;
  if (end > now + k_max_overlap_ms) {
    return management::invalid_field_error(
        name, "The old secret must not stay valid for more than 7 days from now.", "range");
  }
  return key.expire_time ? std::min(end, *key.expire_time * 1000) : end;
}

Response rotate_key(const Request& request) {
  SVC_TRY(body, management::read_body(request, "key_rotate"));
  const std::int64_t now = request.state->now_ms();
  return with_named(request, [&](Database& database, KeyRecord& key) -> Result<Response> {
    SVC_TRY(old_end, old_secret_end(body, key, now));
    SVC_TRY(expiry, management::time_of("expireTime", text::get_string(body, "expireTime")));
    if (expiry) key.expire_time = expiry;
    const std::string secret = keys::new_secret();
    key.redacted = keys::redact(secret);
    key.modified_by = request.key.user_id;
    key.modify_time = now / 1000;
    SVC_CHECK(keys::replace_secret(database, key, secret, old_end, now));
    return json_response(keys::key_object(key, secret));
  });
}

Response delete_key(const Request& request) {
  return with_named(request, [&](Database& database, KeyRecord& key) -> Result<Response> {
    SVC_CHECK(keys::delete_key(database, key.id));
    return json_response(Json::object());
  });
}

// A change propagates to one cluster after the other.
Response get_propagation(const Request& request) {
  return with_named(request, [&](Database& database, KeyRecord& key) -> Result<Response> {
    SVC_TRY(changed, keys::changed_ms(database, key.id));
    Json clusters = Json::object();
    std::int64_t due = changed;
    for (const sv cluster : k_clusters) {
      due += k_propagation_ms;
      clusters[fmt::format("{}.emulator", cluster)] = request.state->now_ms() >= due;
    }
    return json_response({{"icPropagation", std::move(clusters)}});
  });
}

Response list_endpoints(const Request&) {
  Json list = Json::array();
  const auto add = [&](sv name, std::string description) {
    list.push_back({{"acl", fmt::format("api-key:endpoint:{}", name)},
                    {"description", std::move(description)},
                    {"namespace", "api-key"},
                    {"key", "endpoint"},
                    {"value", name}});
  };
  for (const sv name : k_endpoints) add(name, fmt::format("The operations of {}.", name));
  add("*", "All endpoints.");
  return json_response({{"acls", std::move(list)}});
}

Response validate_key(const Request& request) {
  const KeyRecord& key = request.key;
  return json_response({{"apiKeyId", key.id},
                        {"teamId", key.team_id},
                        {"scope", "SCOPE_TEAM"},
                        {"scopeId", key.team_id},
                        {"ownerUserId", key.user_id},
                        {"createTime", format_rfc3339(key.create_time)},
                        {"modifyTime", format_rfc3339(key.modify_time)},
                        {"name", key.name},
                        {"acls", key.acls},
                        {"redactedApiKey", key.redacted}});
}

}  // namespace

std::vector<Route> key_routes() {
  const std::string team = "/auth/teams/{teamId}";
  const std::string one = "/auth/api-keys/{api_key_id}";
  std::vector<Route> routes = {
      {"POST", team + "/api-keys", create_key},
      {"GET", team + "/api-keys", list_keys},
      // Prices of whole things are in 1/100,000,000 cent, which is a tick.
      {"GET", team + "/models",
       [](const Request&) {
         return json_response(
             {{"clusterConfigs", text::json_list(k_clusters, keys::cluster_config)}});
       }},
      {"GET", team + "/endpoints", list_endpoints},
      {"PUT", one, update_key},
      {"DELETE", one, delete_key},
      {"POST", one + "/rotate", rotate_key},
      {"GET", one + "/propagation", get_propagation},
      {"GET", "/auth/management-keys/validation", validate_key},
  };
  for (Route& route : routes) route.key = KeyRequirement::Management;
  return routes;
}

}  // namespace svc::emulator
