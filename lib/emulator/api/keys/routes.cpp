#include "emulator/handler/routes.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "emulator/account/auth.h"
#include "emulator/api/keys/key_wire.h"
#include "emulator/handler/handler.h"
#include "emulator/json/json.h"
#include "emulator/state/key_store.h"
#include "emulator/state/seal.h"
#include "emulator/state/state.h"

namespace svc::emulator {
namespace {

using management::Code;
using management::Json;
using management::sv;

constexpr std::int64_t k_day_ms = 86'400'000;
constexpr std::int64_t k_max_overlap_ms = 7 * k_day_ms;  // after a rotation
constexpr std::int64_t k_propagation_ms = 500;           // per cluster
constexpr sv k_page_seal = "key page";

// An admin sees all keys of the team, a member only their own.
bool is_admin(const KeyRecord& caller) {
  return caller.user_id == k_demo_user_id;
}

// Runs `work(database, key)` on the key in the path, if the caller may see it, in one transaction;
// returns its response, or the refusal.
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
  SVC_TRY(body, management::read_body(request, keys::key_types()["create"]));
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
    if (std::ranges::find(k_known, member) == k_known.end()) {
      return management::invalid_field_error(
          "fieldMask",
          fmt::format("{} is not among the fields that can be changed: {}.", excerpt(member, 40),
                      join(k_known, ", ")),
          "unknown-field");
    }
    if (auto error = keys::read_member(body["apiKey"], member, key)) return error;
  }
  return std::nullopt;
}

Response update_key(const Request& request) {
  SVC_TRY(body, management::read_body(request, keys::key_types()["update"]));
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
  SVC_TRY(body, management::read_body(request, keys::key_types()["rotate"]));
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
      {"GET", team + "/models", [](const Request&) { return json_response(keys::team_models()); }},
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
