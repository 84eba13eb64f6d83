#include "emulator/account/auth.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"
#include "emulator/account/management.h"

namespace svc::emulator {
namespace {

// Returns the token of "Bearer <token>", or "" if the header has another format.
sv bearer_token(sv authorization) {
  const sv text = trim(authorization);
  const auto blank = text.find(' ');
  if (blank == sv::npos || !equals_ignore_case(text.substr(0, blank), "bearer")) return {};
  const sv token = trim(text.substr(blank));
  return token.find(' ') == sv::npos ? token : sv{};
}

Answer refuse_no_key(sv authorization) {
  const sv why =
      authorization.empty() ? "No API key was sent" : "The Authorization header is malformed";
  return refuse(401, "The request does not have valid authentication credentials for the operation",
                fmt::format("{}. Send Authorization: Bearer <API key>.", why));
}

Answer refuse_wrong_key(sv secret) {
  return refuse_argument(
      fmt::format("Incorrect API key provided: {}. This is an emulator: its demo key is "
                  "{}.",
                  mask_key(secret), k_demo_key));
}

Answer refuse_secret(sv why) {
  return refuse(401, "The request does not have valid authentication credentials for the operation",
                why);
}

bool has_endpoint(const KeyRecord& key, const std::string& endpoint) {
  return std::ranges::any_of(key.acls, [&](const std::string& acl) {
    return acl == "api-key:endpoint:*" || acl == "api-key:endpoint:" + endpoint;
  });
}

// Returns why this key is refused everywhere, or "".
std::string condition_of(const KeyRecord& key, std::int64_t now_s) {
  if (key.disabled) return "This API key is disabled.";
  if (key.blocked) return "This API key is blocked.";
  if (key.team_blocked) return "The team of this API key is blocked.";
  if (key.acls.empty()) return "This API key has no permissions.";
  if (key.expire_time && *key.expire_time <= now_s) {
    return fmt::format("This API key expired at {}.", format_rfc3339(*key.expire_time));
  }
  return {};
}

// Returns why this key may not use that route, or nothing.
std::optional<Answer> refuse_condition(State& state, const KeyRecord& key, const Route& route) {
  if (const std::string why = condition_of(key, state.now_ms() / 1000); !why.empty()) {
    return refuse_permission(why);
  }
  if (route.endpoint_acl.empty() || has_endpoint(key, route.endpoint_acl)) return std::nullopt;
  return refuse_permission(
      fmt::format("This API key has no access to this endpoint. Give it the ACL "
                  "api-key:endpoint:{} or api-key:endpoint:*.",
                  route.endpoint_acl));
}

}  // namespace

std::string mask_key(std::string_view secret) {
  constexpr std::size_t k_shortest_shown = 8;
  if (secret.size() < k_shortest_shown) return "***";
  return replace_invalid_utf8(
      fmt::format("{}***{}", secret.substr(0, 2), secret.substr(secret.size() - 2)));
}

std::variant<KeyRecord, Answer> authenticate(State& state, std::string_view authorization,
                                             const Route& route) {
  const sv secret = bearer_token(authorization);
  if (secret.empty()) return refuse_no_key(authorization);
  SVC_TRY(key, found_or(state.find_key(secret), refuse_wrong_key(secret)));
  if (route.key == KeyNeed::Any) return key;
  if (auto refusal = refuse_condition(state, key, route)) return *std::move(refusal);
  return key;
}

std::variant<SecretGrant, Answer> authenticate_secret(State& state, std::string_view secret,
                                                      const Route& route) {
  if (!route.secrets) {
    return refuse_secret("This operation takes an API key and no client secret.");
  }
  SVC_TRY(grant, found_or(route.secrets(state, secret),
                          refuse_secret("The client secret is unknown or has expired.")));
  if (auto refusal = refuse_condition(state, grant.key, route)) return *std::move(refusal);
  return std::move(grant);
}

std::variant<KeyRecord, Answer> authenticate_management(
    State& state, std::string_view authorization,
    const std::map<std::string, std::string>& params) {
  const sv secret = bearer_token(authorization);
  if (secret.empty()) return management::refuse_key("No management key was sent.");
  SVC_TRY(found, checked(state.find_management_key(secret)));
  if (!found.has_value()) {
    return management::refuse_key(
        fmt::format("Invalid management key: {}. This is an emulator: its demo management key is "
                    "{}.",
                    mask_key(secret), k_demo_management_key));
  }
  KeyRecord key = std::move(*found);
  for (const auto& [name, value] : params) {
    if ((name != "teamId" && name != "team_id") || value == key.team_id) continue;
    return management::refuse(
        management::Code::PermissionDenied,
        fmt::format("The management key has no access to team {}.", excerpt(value, 60)),
        "unauthorized:wrong-team");
  }
  return key;
}

}  // namespace svc::emulator
