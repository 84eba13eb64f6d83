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
constexpr std::int64_t k_longest_overlap_ms = 7 * k_day_ms;  // after a rotation
constexpr std::int64_t k_propagation_ms = 500;               // per cluster
constexpr sv k_page_seal = "key page";

// An admin sees all keys of the team, a member only their own.
bool is_admin(const KeyRecord& caller) {
  return caller.user_id == k_demo_user_id;
}

// Runs `work(database, key)` on the key in the path, if the caller may see it, in one transaction;
// returns its response, or the refusal.
template <typename Work>
Answer with_named(const Call& call, Work&& work) {
  return answer_of(call.state->change([&](Database& database) -> Result<Answer> {
    const std::string& id = call.params.at("api_key_id");
    SVC_TRY(key, keys::find_by_id(database, call.key.team_id, id));
    const bool visible = key && (is_admin(call.key) || key->user_id == call.key.user_id);
    if (!visible) return management::refuse_missing("API key", id);
    return work(database, *key);
  }));
}

Answer refuse_pace(std::int64_t wait_ms) {
  Answer answer = management::refuse(
      Code::ResourceExhausted,
      "Too many API keys were created in a short time. Leave 1.5 s between them.",
      "rate-limit:create-api-key");
  answer.headers.push_back({"Retry-After", std::to_string((wait_ms + 999) / 1000)});
  return answer;
}

Answer create_key(const Call& call) {
  SVC_TRY(body, management::read_body(call, keys::key_types()["create"]));
  KeyRecord key;
  for (const sv member : {"name", "acls", "qps", "qpm", "tpm", "expireTime"}) {
    if (auto refusal = keys::read_member(body, member, key)) return *refusal;
  }
  const std::int64_t now = call.state->now_ms();
  const std::string secret = keys::new_secret();
  key.id = new_uuid();
  key.redacted = keys::redact(secret);
  key.team_id = call.key.team_id;
  key.user_id = key.modified_by = call.key.user_id;
  key.create_time = key.modify_time = now / 1000;
  return answer_of(call.state->change([&](Database& database) -> Result<Answer> {
    SVC_TRY(wait_ms, keys::admit_creation(database, key.team_id, now));
    if (wait_ms > 0) return refuse_pace(wait_ms);
    SVC_CHECK(keys::insert_key(database, key, secret, keys::Kind::Inference, now));
    return json_answer(keys::key_object(key, secret));
  }));
}

Answer list_keys(const Call& call) {
  keys::KeyQuery query{.team_id = call.key.team_id};
  if (!is_admin(call.key)) query.user_id = call.key.user_id;
  if (const auto token = call.query_value("paginationToken"); token && !token->empty()) {
    const auto position = read_page_number(k_page_seal, *token);
    if (!position) {
      return management::refuse_field(
          "paginationToken", "The token comes from no page of this listing.", "invalid-token");
    }
    query.after = *position;
  }
  SVC_TRY(size, management::query_number(call, "pageSize", 1, 1'000'000));
  query.limit = size.value_or(query.limit);
  for (const Header& pair : call.query) {
    if (pair.name == "aclFilters" && !pair.value.empty()) query.acls.push_back(pair.value);
  }
  if (call.query_value("activeOnly").value_or("") == "true") {
    query.unexpired_at = call.state->now_ms() / 1000;
  }
  SVC_TRY(page, checked(call.state->with(
                    [&](Database& database) { return keys::list_keys(database, query); })));
  Json body = {{"apiKeys", text::json_list(page.keys, [](const KeyRecord& key) {
                  return keys::key_object(key);
                })}};
  if (page.more) {
    body["paginationToken"] = make_page_token(k_page_seal, {std::to_string(page.position)});
  }
  return json_answer(body);
}

// `fieldMask` lists the fields of `apiKey` to apply.
std::optional<Answer> apply_mask(const Json& body, KeyRecord& key) {
  const std::string mask = text::text_of(body, "fieldMask");
  if (trim(mask).empty()) return management::refuse_empty("fieldMask");
  constexpr std::array<sv, 8> k_known = {"name", "disabled", "expireTime", "qps",
                                         "qpm",  "tpm",      "aclStrings", "acls"};
  for (const sv part : split(mask, ',')) {
    const sv member = trim(part);
    if (std::ranges::find(k_known, member) == k_known.end()) {
      return management::refuse_field(
          "fieldMask",
          fmt::format("{} is not among the fields that can be changed: {}.", excerpt(member, 40),
                      join(k_known, ", ")),
          "unknown-field");
    }
    if (auto refusal = keys::read_member(body["apiKey"], member, key)) return refusal;
  }
  return std::nullopt;
}

Answer update_key(const Call& call) {
  SVC_TRY(body, management::read_body(call, keys::key_types()["update"]));
  return with_named(call, [&](Database& database, KeyRecord& key) -> Result<Answer> {
    if (auto fault = apply_mask(body, key)) return *fault;
    key.modified_by = call.key.user_id;
    key.modify_time = call.state->now_ms() / 1000;
    SVC_CHECK(keys::update_key(database, key, call.state->now_ms()));
    return json_answer(keys::key_object(key));
  });
}

// Returns how long the previous secret remains valid, in milliseconds.
Checked<std::int64_t> old_secret_end(const Json& body, const KeyRecord& key, std::int64_t now) {
  constexpr sv name = "oldSecretExpireTime";
  SVC_TRY(wish, management::time_of(name, text::text_of(body, name)));
  const std::int64_t end = wish ? *wish * 1000 : now + k_day_ms;
  if (end > now + k_longest_overlap_ms) {
    return management::refuse_field(
        name, "The old secret must not stay valid for more than 7 days from now.", "range");
  }
  return key.expire_time ? std::min(end, *key.expire_time * 1000) : end;
}

Answer rotate_key(const Call& call) {
  SVC_TRY(body, management::read_body(call, keys::key_types()["rotate"]));
  const std::int64_t now = call.state->now_ms();
  return with_named(call, [&](Database& database, KeyRecord& key) -> Result<Answer> {
    SVC_TRY(old_end, old_secret_end(body, key, now));
    SVC_TRY(expiry, management::time_of("expireTime", text::text_of(body, "expireTime")));
    if (expiry) key.expire_time = expiry;
    const std::string secret = keys::new_secret();
    key.redacted = keys::redact(secret);
    key.modified_by = call.key.user_id;
    key.modify_time = now / 1000;
    SVC_CHECK(keys::replace_secret(database, key, secret, old_end, now));
    return json_answer(keys::key_object(key, secret));
  });
}

Answer delete_key(const Call& call) {
  return with_named(call, [&](Database& database, KeyRecord& key) -> Result<Answer> {
    SVC_CHECK(keys::delete_key(database, key.id));
    return json_answer(Json::object());
  });
}

// A change propagates to one cluster after the other.
Answer get_propagation(const Call& call) {
  return with_named(call, [&](Database& database, KeyRecord& key) -> Result<Answer> {
    SVC_TRY(changed, keys::changed_ms(database, key.id));
    Json clusters = Json::object();
    std::int64_t due = changed;
    for (const sv cluster : k_clusters) {
      due += k_propagation_ms;
      clusters[fmt::format("{}.emulator", cluster)] = call.state->now_ms() >= due;
    }
    return json_answer({{"icPropagation", std::move(clusters)}});
  });
}

Answer list_endpoints(const Call&) {
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
  return json_answer({{"acls", std::move(list)}});
}

Answer validate_key(const Call& call) {
  const KeyRecord& key = call.key;
  return json_answer({{"apiKeyId", key.id},
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
      {"GET", team + "/models", [](const Call&) { return json_answer(keys::team_models()); }},
      {"GET", team + "/endpoints", list_endpoints},
      {"PUT", one, update_key},
      {"DELETE", one, delete_key},
      {"POST", one + "/rotate", rotate_key},
      {"GET", one + "/propagation", get_propagation},
      {"GET", "/auth/management-keys/validation", validate_key},
  };
  for (Route& route : routes) route.key = KeyNeed::Management;
  return routes;
}

}  // namespace svc::emulator
