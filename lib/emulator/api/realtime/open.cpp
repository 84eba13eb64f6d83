#include "emulator/api/realtime/open.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "database/rows.h"
#include "emulator/api/keys/key_wire.h"
#include "emulator/handler/handler.h"
#include "emulator/handler/socket.h"
#include "emulator/json/check.h"
#include "emulator/json/json.h"
#include "emulator/model/rules.h"
#include "emulator/state/key_store.h"

namespace svc::emulator::realtime {

namespace {

constexpr std::array<sv, 3> k_models = {"svc-voice-latest", "svc-voice-think-fast-2.0",
                                        "svc-voice-think-fast-1.0"};
constexpr std::chrono::hours k_max_requested_limit{2};
constexpr std::int64_t k_default_lifetime_s = 600;
constexpr std::int64_t k_max_lifetime_s = 3'600;

const text::Types k_secret_types(
    "secret = {expires_after: {seconds: integer, anchor}, session: map}");

RealtimeTiming read_timing(const Request& request) {
  RealtimeTiming timing;
  timing.pace = text::chunk_delay(request, timing.pace);
  timing.limit =
      text::requested_duration(request, "x-emulator-session-limit-ms", k_max_requested_limit)
          .value_or(timing.limit);
  timing.idle = text::requested_duration(request, "x-emulator-idle-limit-ms", k_max_requested_limit)
                    .value_or(timing.idle);
  timing.ping = text::requested_duration(request, "x-emulator-ping-ms", k_max_requested_limit)
                    .value_or(timing.ping);
  timing.ping = std::max(timing.ping, std::chrono::milliseconds(10));
  return timing;
}

// Without call_id, the model is that of the query, or else of the secret's session, or else the
// default.
std::optional<Response> read_query(const Request& request, SessionConfig& config) {
  const auto effort = request.query_value("reasoning.effort");
  if (effort && std::ranges::find(k_efforts, *effort) == k_efforts.end()) {
    return invalid_argument_error(fmt::format("reasoning.effort must be one of {}, not {}.",
                                              join(k_efforts, ", "), shown(*effort)));
  }
  config.effort = effort.value_or(config.effort);
  config.agent_id = request.query_value("agent_id").value_or("");
  const std::string model = request.query_value("model").value_or("");
  if (model.empty() || request.query_value("call_id")) return std::nullopt;
  if (std::ranges::find(k_models, model) == k_models.end()) {
    return invalid_argument_error("Model not found: " + shown(model));
  }
  config.model = model;
  return std::nullopt;
}

// Reads the configuration stored with a client secret.
std::optional<Response> read_secret(const Request& request, SessionConfig& config) {
  if (!request.client_secret || request.client_secret->empty()) return std::nullopt;
  const Json session = text::parse_json(*request.client_secret);
  if (const auto error = apply_session(session, false, config)) {
    return invalid_argument_error("The client secret's session is wrong: " + error->message);
  }
  const std::string model = text::get_string(session, "model", config.model);
  if (std::ranges::find(k_models, model) != k_models.end()) config.model = model;
  return std::nullopt;
}

std::optional<Response> read_call(const Request& request, std::optional<phone::PhoneCall>& phone) {
  const auto id = request.query_value("call_id");
  if (!id || id->empty()) return std::nullopt;
  if (request.client_secret) {
    return permission_denied_error(
        "A session that is attached to a call takes an API key, no client secret.");
  }
  auto found =
      request.state->with([&](Database& database) { return phone::find_call(database, *id); });
  SVC_TRY(live, phone::live_call(std::move(found), request.key.team_id));
  phone = std::move(live);
  return std::nullopt;
}

}  // namespace

std::shared_ptr<void> SessionSlots::take(const State& state, const std::string& team_id,
                                         std::int64_t limit) {
  const Owner owner(&state, team_id);
  const std::lock_guard lock(m_mutex);
  if (m_taken[owner] >= limit) return nullptr;
  ++m_taken[owner];
  return {static_cast<void*>(this), [self = shared_from_this(), owner](void*) {
            const std::lock_guard relock(self->m_mutex);
            --self->m_taken[owner];
          }};
}

std::variant<std::shared_ptr<SocketSession>, Response> open_session(
    const Request& request, const std::shared_ptr<SessionSlots>& slots,
    const std::shared_ptr<const Speech>& speech) {
  SessionParts parts{.request = request, .speech = speech, .timing = read_timing(request)};
  if (auto error = read_secret(request, parts.config)) return *std::move(error);
  if (auto error = read_query(request, parts.config)) return *std::move(error);
  if (auto error = read_call(request, parts.phone)) return *std::move(error);
  parts.conversation_id = request.query_value("conversation_id").value_or("");
  SVC_TRY(limit, checked(request.state->with(
                     [](Database& database) { return limit_of(database, "realtime_sessions"); })));
  parts.slot = slots->take(*request.state, request.key.team_id, limit);
  if (!parts.slot) {
    return resource_exhausted_error(
        fmt::format("The team has {} realtime sessions at a time.", limit));
  }
  return std::make_shared<RealtimeSession>(std::move(parts));
}

Response create_client_secret(const Request& request) {
  SVC_TRY(body, text::read_body(request, k_secret_types["secret"]));
  std::int64_t lifetime = k_default_lifetime_s;
  if (const Json* expiry = text::member(body, "expires_after")) {
    lifetime = text::get_integer(*expiry, "seconds").value_or(k_default_lifetime_s);
  }
  if (lifetime < 1 || lifetime > k_max_lifetime_s) {
    return invalid_argument_error(
        fmt::format("expires_after.seconds must be 1 to {}, not {}.", k_max_lifetime_s, lifetime));
  }
  const std::int64_t now_s = request.state->now_ms() / 1000;
  const Json* session = text::member(body, "session");
  const std::string value =
      std::string(k_secret_prefix) + keys::new_secret().substr(sv("svc-").size());
  const auto stored = request.state->change([&](Database& database) -> Result<void> {
    SVC_CHECK(database.change("DELETE FROM client_secrets WHERE expires_at < ?",
                              now_s - std::int64_t{24} * 3'600));
    return run_sql(database,
                   "INSERT INTO client_secrets (value, team_id, key_id, expires_at,"
                   " session) VALUES (?,?,?,?,?)",
                   value, request.key.team_id, request.key.id, now_s + lifetime,
                   session == nullptr ? "{}" : text::dump(*session));
  });
  SVC_CHECK(checked(stored));
  Response response = json_response(Json{{"value", value}, {"expires_at", now_s + lifetime}});
  response.headers.push_back({"x-trace-id", replace_all(request.state->new_uuid(), "-", "")});
  return response;
}

Result<std::optional<SecretGrant>> find_client_secret(State& state, std::string_view value) {
  return state.with([&](Database& database) -> Result<std::optional<SecretGrant>> {
    SVC_TRY(row, database.query("SELECT team_id, key_id, session FROM client_secrets WHERE"
                                " value = ? AND expires_at > ?",
                                value, state.now_ms() / 1000));
    SVC_TRY(found, row.step());
    if (!found) return std::optional<SecretGrant>{};
    SVC_TRY(key, keys::find_by_id(database, row.text(0), row.text(1)));
    if (!key) return std::optional<SecretGrant>{};
    return std::optional(SecretGrant{std::move(*key), row.text(2)});
  });
}

}  // namespace svc::emulator::realtime
