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
  const auto space = text.find(' ');
  if (space == sv::npos || !equals_ignore_case(text.substr(0, space), "bearer")) return {};
  const sv token = trim(text.substr(space));
  return token.find(' ') == sv::npos ? token : sv{};
}

Response credentials_error(sv why) {
  return error_response(
      401, "The request does not have valid authentication credentials for the operation", why);
}

// Returns why this key may not use that route, or nothing.
std::optional<Response> key_condition_error(State& state, const KeyRecord& key,
                                            const Route& route) {
  if (key.disabled) return permission_denied_error("This API key is disabled.");
  if (key.blocked) return permission_denied_error("This API key is blocked.");
  if (key.team_blocked) return permission_denied_error("The team of this API key is blocked.");
  if (key.acls.empty()) return permission_denied_error("This API key has no permissions.");
  if (key.expire_time && *key.expire_time <= state.now_ms() / 1000) {
    return permission_denied_error(
        fmt::format("This API key expired at {}.", format_rfc3339(*key.expire_time)));
  }
  if (route.endpoint_acl.empty() || has_acl(key, "endpoint", route.endpoint_acl)) {
    return std::nullopt;
  }
  return permission_denied_error(
      fmt::format("This API key has no access to this endpoint. Give it the ACL "
                  "api-key:endpoint:{} or api-key:endpoint:*.",
                  route.endpoint_acl));
}

}  // namespace

std::string mask_key(std::string_view secret) {
  constexpr std::size_t k_min_shown = 8;
  if (secret.size() < k_min_shown) return "***";
  return replace_invalid_utf8(
      fmt::format("{}***{}", secret.substr(0, 2), secret.substr(secret.size() - 2)));
}

Checked<KeyRecord> authenticate(State& state, std::string_view authorization, const Route& route) {
  const sv secret = bearer_token(authorization);
  if (secret.empty()) {
    const sv why =
        authorization.empty() ? "No API key was sent" : "The Authorization header is malformed";
    return credentials_error(fmt::format("{}. Send Authorization: Bearer <API key>.", why));
  }
  SVC_TRY(key, found_or(state.find_key(secret), invalid_argument_error(fmt::format(
                                                    "Incorrect API key provided: {}. This is an "
                                                    "emulator: its demo key is {}.",
                                                    mask_key(secret), k_demo_key))));
  if (route.key == KeyRequirement::Any) return key;
  if (auto error = key_condition_error(state, key, route)) return *std::move(error);
  return key;
}

Checked<SecretGrant> authenticate_secret(State& state, std::string_view secret,
                                         const Route& route) {
  if (!route.secrets) {
    return credentials_error("This operation takes an API key and no client secret.");
  }
  SVC_TRY(grant, found_or(route.secrets(state, secret),
                          credentials_error("The client secret is unknown or has expired.")));
  if (auto error = key_condition_error(state, grant.key, route)) return *std::move(error);
  return std::move(grant);
}

Checked<KeyRecord> authenticate_management(State& state, std::string_view authorization,
                                           const std::map<std::string, std::string>& params) {
  const sv secret = bearer_token(authorization);
  if (secret.empty()) return management::unauthenticated_error("No management key was sent.");
  SVC_TRY(key, found_or(state.find_key(secret, keys::Kind::Management),
                        management::unauthenticated_error(fmt::format(
                            "Invalid management key: {}. This is an emulator: its demo management "
                            "key is {}.",
                            mask_key(secret), k_demo_management_key))));
  for (const auto& [name, value] : params) {
    const bool names_team = name == "teamId" || name == "team_id";
    if (names_team && value != key.team_id) return management::team_access_error(value);
  }
  return std::move(key);
}

}  // namespace svc::emulator
