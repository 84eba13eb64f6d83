#include "emulator/api/realtime/open.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/keys/key_wire.h"
#include "emulator/handler/handler.h"
#include "emulator/handler/socket.h"
#include "emulator/json/check.h"
#include "emulator/json/json.h"
#include "emulator/model/rules.h"
#include "emulator/state/key_store.h"
#include "database/rows.h"

namespace svc::emulator::realtime {

namespace {

constexpr std::array<sv, 3> k_models = {"svc-voice-latest", "svc-voice-think-fast-2.0",
                                        "svc-voice-think-fast-1.0"};
constexpr std::chrono::hours k_longest_wish{2};
constexpr std::int64_t k_usual_lifetime_s = 600;
constexpr std::int64_t k_longest_lifetime_s = 3'600;

const text::Types k_secret_types(
    "secret = {expires_after: {seconds: integer, anchor}, session: map}");

RealtimeTiming read_timing(const Call& call) {
  RealtimeTiming timing;
  timing.pace = text::piece_delay(call, timing.pace);
  timing.limit =
      text::wished_time(call, "x-emulator-session-limit-ms", k_longest_wish).value_or(timing.limit);
  timing.idle =
      text::wished_time(call, "x-emulator-idle-limit-ms", k_longest_wish).value_or(timing.idle);
  timing.ping = text::wished_time(call, "x-emulator-ping-ms", k_longest_wish).value_or(timing.ping);
  timing.ping = std::max(timing.ping, std::chrono::milliseconds(10));
  return timing;
}

// Without call_id, the model is that of the query, or else of the secret's session, or else the
// default.
std::optional<Answer> read_query(const Call& call, SessionConfig& config) {
  const auto effort = call.query_value("reasoning.effort");
  if (effort && std::ranges::find(k_efforts, *effort) == k_efforts.end()) {
    return refuse_argument(fmt::format("reasoning.effort must be one of {}, not {}.",
                                       join(k_efforts, ", "), shown(*effort)));
  }
  config.effort = effort.value_or(config.effort);
  config.agent_id = call.query_value("agent_id").value_or("");
  const std::string model = call.query_value("model").value_or("");
  if (model.empty() || call.query_value("call_id")) return std::nullopt;
  if (std::ranges::find(k_models, model) == k_models.end()) {
    return refuse_argument("Model not found: " + shown(model));
  }
  config.model = model;
  return std::nullopt;
}

// Reads the configuration stored with a client secret.
std::optional<Answer> read_secret(const Call& call, SessionConfig& config) {
  if (!call.client_secret || call.client_secret->empty()) return std::nullopt;
  const Json session = text::parse_json(*call.client_secret);
  if (const auto complaint = apply_session(session, false, config)) {
    return refuse_argument("The client secret's session is wrong: " + complaint->message);
  }
  const std::string model = text::text_of(session, "model", config.model);
  if (std::ranges::find(k_models, model) != k_models.end()) config.model = model;
  return std::nullopt;
}

std::optional<Answer> read_call(const Call& call, std::optional<phone::PhoneCall>& phone) {
  const auto id = call.query_value("call_id");
  if (!id || id->empty()) return std::nullopt;
  if (call.client_secret) {
    return refuse_permission(
        "A session that is attached to a call takes an API key, no client secret.");
  }
  auto found =
      call.state->with([&](Database& database) { return phone::find_call(database, *id); });
  SVC_TRY(live, phone::live_call(std::move(found), call.key.team_id));
  phone = std::move(live);
  return std::nullopt;
}

}  // namespace

std::shared_ptr<void> Seats::take(const std::string& team_id) {
  const std::lock_guard lock(m_mutex);
  if (m_taken[team_id] >= k_most) return nullptr;
  ++m_taken[team_id];
  return {static_cast<void*>(this), [self = shared_from_this(), team_id](void*) {
            const std::lock_guard relock(self->m_mutex);
            --self->m_taken[team_id];
          }};
}

std::variant<std::shared_ptr<SocketSession>, Answer> open_session(
    const Call& call, const std::shared_ptr<Seats>& seats,
    const std::shared_ptr<const Speech>& speech) {
  SessionParts parts{.call = call, .speech = speech, .timing = read_timing(call)};
  if (auto refusal = read_secret(call, parts.config)) return *std::move(refusal);
  if (auto refusal = read_query(call, parts.config)) return *std::move(refusal);
  if (auto refusal = read_call(call, parts.phone)) return *std::move(refusal);
  parts.conversation_id = call.query_value("conversation_id").value_or("");
  parts.seat = seats->take(call.key.team_id);
  if (!parts.seat) {
    return refuse_exhausted(
        fmt::format("The team has {} realtime sessions at a time.", Seats::k_most));
  }
  return std::make_shared<RealtimeSession>(std::move(parts));
}

Answer create_client_secret(const Call& call) {
  SVC_TRY(body, text::read_body(call, k_secret_types["secret"]));
  std::int64_t lifetime = k_usual_lifetime_s;
  if (const Json* expiry = text::member(body, "expires_after")) {
    lifetime = text::integer_of(*expiry, "seconds").value_or(k_usual_lifetime_s);
  }
  if (lifetime < 1 || lifetime > k_longest_lifetime_s) {
    return refuse_argument(fmt::format("expires_after.seconds must be 1 to {}, not {}.",
                                       k_longest_lifetime_s, lifetime));
  }
  const std::int64_t now_s = call.state->now_ms() / 1000;
  const Json* session = text::member(body, "session");
  const std::string value =
      std::string(k_secret_prefix) + keys::new_secret().substr(sv("svc-").size());
  const auto stored = call.state->change([&](Database& database) -> Result<void> {
    SVC_CHECK(
        database.change("DELETE FROM client_secrets WHERE expires_at < ?", now_s - 24 * 3'600));
    return run_sql(database,
                   "INSERT INTO client_secrets (value, team_id, key_id, expires_at,"
                   " session) VALUES (?,?,?,?,?)",
                   value, call.key.team_id, call.key.id, now_s + lifetime,
                   session == nullptr ? "{}" : text::dump(*session));
  });
  SVC_CHECK(checked(stored));
  Answer answer = json_answer(Json{{"value", value}, {"expires_at", now_s + lifetime}});
  answer.headers.push_back({"x-trace-id", replace_all(new_uuid(), "-", "")});
  return answer;
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
