#include "emulator/account/auth.h"

#include <nlohmann/json.hpp>

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

// Shown for keys without their own limits; not enforced.
constexpr std::int64_t k_shown_requests = 10'000;
constexpr std::int64_t k_shown_tokens = 10'000'000;

struct MetricRow {
  sv method;
  sv path;
  MetricHeaders headers;
};

// The legacy text operations are assumed to be like chat.
constexpr MetricHeaders k_text_metrics{true, true, true, true, true};
constexpr MetricRow k_metric_rows[] = {
    {"POST", "/v1/chat/completions", k_text_metrics},
    {"POST", "/v1/responses", k_text_metrics},
    {"GET", "/v1/responses/*", {.request_id_of_errors = true}},
    {"DELETE", "/v1/responses/*", {.request_id_of_errors = true}},
    {"POST", "/v1/responses/compact", k_text_metrics},
    {"POST", "/v1/completions", k_text_metrics},
    {"POST", "/v1/messages", k_text_metrics},
    {"POST", "/v1/complete", k_text_metrics},
    {"POST", "/v1/tokenize-text", {true, true, true, false, false}},
    {"POST", "/v1/images/*", {true, true, true, false, true}},
    {"POST", "/v1/videos/*", {true, true, true, false, false}},
    {"GET", "/v1/*models/{model_id}", {.request_id = true, .request_id_of_errors = true}},
};

Quota quota_of(const KeyRecord& key, std::int64_t calls, std::int64_t tokens) {
  Quota quota;
  quota.limit_requests = key.qpm.value_or(k_shown_requests);
  quota.limit_tokens = key.tpm.value_or(k_shown_tokens);
  quota.remaining_requests = std::max<std::int64_t>(0, quota.limit_requests - calls);
  quota.remaining_tokens = std::max<std::int64_t>(0, quota.limit_tokens - tokens);
  return quota;
}

}  // namespace

std::string mask_key(sv secret) {
  constexpr std::size_t k_min_shown = 8;
  if (secret.size() < k_min_shown) return "***";
  return replace_invalid_utf8(
      fmt::format("{}***{}", secret.substr(0, 2), secret.substr(secret.size() - 2)));
}

Checked<KeyRecord> authenticate(State& state, sv authorization, const Route& route) {
  const sv secret = bearer_token(authorization);
  if (secret.empty()) {
    const sv why =
        authorization.empty() ? "No API key was sent" : "The Authorization header is malformed";
    return error_response(401, fmt::format("{}. Send Authorization: Bearer <API key>.", why));
  }
  SVC_TRY(key, found_or(state.find_key(secret), invalid_argument_error(fmt::format(
                                                    "Incorrect API key provided: {}. This is an "
                                                    "emulator: its demo key is {}.",
                                                    mask_key(secret), k_demo_key))));
  if (route.key == KeyRequirement::Any) return key;
  if (auto error = key_condition_error(state, key, route)) return *std::move(error);
  return key;
}

Checked<SecretGrant> authenticate_secret(State& state, sv secret, const Route& route) {
  if (!route.secrets) {
    return error_response(401, "This operation takes an API key and no client secret.");
  }
  SVC_TRY(grant, found_or(route.secrets(state, secret),
                          error_response(401, "The client secret is unknown or has expired.")));
  if (auto error = key_condition_error(state, grant.key, route)) return *std::move(error);
  return std::move(grant);
}

Checked<KeyRecord> authenticate_management(State& state, sv authorization,
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

void RateLimiter::advance(Window& window, std::int64_t now_ms) {
  const std::int64_t second = now_ms / 1000;
  const std::int64_t minute = second / 60;
  if (window.second != second) {
    window.second = second;
    window.calls_in_second = 0;
  }
  if (window.minute != minute) {
    window.minute = minute;
    window.calls_in_minute = 0;
    window.tokens_in_minute = 0;
  }
}

template <typename Work>
void RateLimiter::with_window(const KeyRecord& key, std::int64_t now_ms, const Work& work) {
  const std::lock_guard lock(m_mutex);
  Window& window = m_windows[key.id];
  const bool limited = key.qps || key.qpm || key.tpm;
  const auto in_state = [&](Database& database) -> Result<void> {
    const auto read = [](const Statement& row) {
      return Window{row.integer(0), row.integer(1), row.integer(2), row.integer(3), row.integer(4)};
    };
    SVC_TRY(found, first_row(database, read,
                             "SELECT second, minute, calls_in_second, calls_in_minute,"
                             " tokens_in_minute FROM key_windows WHERE key_id = ?",
                             key.id));
    if (found) window = *found;
    advance(window, now_ms);
    work(window);
    return run_sql(database, "INSERT OR REPLACE INTO key_windows VALUES (?,?,?,?,?,?)", key.id,
                   window.second, window.minute, window.calls_in_second, window.calls_in_minute,
                   window.tokens_in_minute);
  };
  if (limited && m_state.change(in_state)) return;
  // If the state is not writable, count in memory.
  advance(window, now_ms);
  work(window);
}

Quota RateLimiter::count_call(const KeyRecord& key, std::int64_t now_ms) {
  Quota quota;
  with_window(key, now_ms, [&](Window& window) {
    const bool second_full = key.qps && window.calls_in_second >= *key.qps;
    const bool minute_full = key.qpm && window.calls_in_minute >= *key.qpm;
    // Strictly exceeded: the call that exceeds the token limit is still served.
    const bool tokens_over = key.tpm && window.tokens_in_minute > *key.tpm;
    const bool refused = second_full || minute_full || tokens_over;
    if (!refused) {
      ++window.calls_in_second;
      ++window.calls_in_minute;
    }
    quota = quota_of(key, window.calls_in_minute, window.tokens_in_minute);
    quota.refused = refused;
    if (refused) quota.retry_after_s = minute_full || tokens_over ? 60 - (now_ms / 1000) % 60 : 1;
  });
  return quota;
}

Quota RateLimiter::add_tokens(const KeyRecord& key, std::int64_t tokens, std::int64_t now_ms) {
  Quota quota;
  with_window(key, now_ms, [&](Window& window) {
    window.tokens_in_minute += tokens;
    quota = quota_of(key, window.calls_in_minute, window.tokens_in_minute);
  });
  return quota;
}

MetricHeaders metric_headers(sv method, sv route_path) {
  for (const MetricRow& row : k_metric_rows) {
    if (row.method == method && matches_glob(row.path, route_path)) return row.headers;
  }
  return {};
}

}  // namespace svc::emulator

namespace svc::emulator::management {
namespace {

struct Row {
  Code code;
  int status;
};
// As mapped by gRPC gateways; 3, 8 and 16 were observed.
constexpr std::array k_statuses = {
    Row{Code::InvalidArgument, 400},   Row{Code::NotFound, 404},
    Row{Code::AlreadyExists, 409},     Row{Code::PermissionDenied, 403},
    Row{Code::ResourceExhausted, 429}, Row{Code::FailedPrecondition, 400},
    Row{Code::Unimplemented, 405},     Row{Code::Internal, 500},
    Row{Code::Unauthenticated, 401}};

Code code_of_status(int status) {
  for (const auto& [code, http] : k_statuses) {
    if (http == status) return code;
  }
  return status < 500 ? Code::InvalidArgument : Code::Internal;
}

std::string error_body(Code code, sv message) {
  return fmt::format(R"({{"code":{},"message":{},"details":[]}})", static_cast<int>(code),
                     json_quote(message));
}

}  // namespace

Response error_response(Code code, sv message, sv marker) {
  Response response;
  for (const auto& [row_code, status] : k_statuses) {
    if (row_code == code) response.status = status;
  }
  response.body = error_body(
      code, marker.empty() ? std::string(message) : fmt::format("{} [WKE={}]\n", message, marker));
  return response;
}

Response invalid_field_error(sv field, sv reason, sv rule) {
  return error_response(Code::InvalidArgument, fmt::format("{}: {}", field, reason),
                        fmt::format("form-invalid:{}:{}", rule, field));
}

Response empty_field_error(sv field) {
  return invalid_field_error(field, "Field is empty but must not be empty.", "not-empty");
}

Response not_found_error(sv what, sv id, sv where) {
  return error_response(Code::NotFound, fmt::format("{} {} not found{}.", what, excerpt(id), where),
                        "not-found:" + replace_all(to_lower(what), " ", "-"));
}

Response team_access_error(sv team_id) {
  return error_response(
      Code::PermissionDenied,
      fmt::format("The management key has no access to team {}.", excerpt(team_id)),
      "unauthorized:wrong-team");
}

Response unauthenticated_error(sv message) {
  Response response =
      error_response(Code::Unauthenticated, message, "unauthenticated:bad-credentials");
  response.headers.push_back({"www-authenticate", std::string(message)});
  return response;
}

Response to_management_error(Response error) {
  if (error.status < 400 || error.content_type != "application/json") return error;
  const Json body = text::parse_json(error.body);
  if (text::member(body, "error") == nullptr) return error;
  error.body = error_body(code_of_status(error.status), text::get_string(body, "error"));
  return error;
}

Checked<Json> read_body(const Request& request, sv type) {
  Json body = text::parse_json(request.body);
  if (!body.is_object()) {
    return error_response(Code::InvalidArgument,
                          "proto: syntax error: the body is not a JSON object.");
  }
  const auto error = text::check_type(body, text::request_type(type), request.body);
  if (!error) return body;
  return error_response(Code::InvalidArgument,
                        fmt::format("proto: (line {}:{}): invalid value for field {}: {}",
                                    error->line, error->column, error->path, error->reason));
}

std::optional<std::int64_t> get_int64(const Json& object, sv name) {
  const Json* value = text::member(object, name);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return parse_integer(value->get_ref<const std::string&>());
  return text::get_integer(object, name);
}

Checked<std::optional<std::int64_t>> query_number(const Request& request, sv name,
                                                  std::int64_t minimum, std::int64_t maximum) {
  const auto text = request.query_value(name);
  if (!text || text->empty()) return std::optional<std::int64_t>{};
  const auto number = parse_integer(*text);
  if (number && *number >= minimum && *number <= maximum) return number;
  return invalid_field_error(
      name,
      fmt::format("{} is not a whole number from {} to {}.", excerpt(*text), minimum, maximum),
      "range");
}

Checked<std::optional<std::int64_t>> time_of(sv field, sv text) {
  const auto time = parse_rfc3339(text);
  if (time || text.empty()) return time;
  return invalid_field_error(
      field, fmt::format("{} is not a time such as 2027-01-01T00:00:00Z.", excerpt(text)),
      "timestamp");
}

}  // namespace svc::emulator::management
