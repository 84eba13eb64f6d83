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
constexpr std::array<sv, 2> k_efforts = {"high", "none"};
constexpr std::int64_t k_longest_wish_ms = 120 * 60'000;

void read_wish(const Call& call, const char* header, std::chrono::milliseconds& target) {
  const auto text = call.header(header);
  const auto wish = text ? parse_integer(*text) : std::nullopt;
  if (wish && *wish >= 0) target = std::chrono::milliseconds(std::min(*wish, k_longest_wish_ms));
}

RealtimeTiming read_timing(const Call& call) {
  RealtimeTiming timing;
  timing.pace = text::piece_delay(call, timing.pace);
  read_wish(call, "x-emulator-session-limit-ms", timing.limit);
  read_wish(call, "x-emulator-idle-limit-ms", timing.idle);
  read_wish(call, "x-emulator-ping-ms", timing.ping);
  timing.ping = std::max(timing.ping, std::chrono::milliseconds(10));
  return timing;
}

Answer wrong_word(sv name, sv given, std::span<const sv> words) {
  return refuse_argument(
      fmt::format("{} must be one of {}, not {}.", name, join(words, ", "), shown(given)));
}

// Without call_id, the model is that of the query, or else of the secret's session, or else the
// default.
std::optional<Answer> read_query(const Call& call, SessionConfig& config) {
  const auto effort = call.query_value("reasoning.effort");
  if (effort && std::ranges::find(k_efforts, *effort) == k_efforts.end()) {
    return wrong_word("reasoning.effort", *effort, k_efforts);
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
  SVC_TRY(found, checked(call.state->with(
                     [&](Database& database) { return phone::find_call(database, *id); })));
  if (!found || found->team_id != call.key.team_id) {
    return refuse_argument("invalid call_id");
  }
  if (found->is_over()) {
    return refuse_missing(fmt::format("The call {} has already ended.", *id));
  }
  phone = std::move(found);
  return std::nullopt;
}

}  // namespace

std::shared_ptr<void> Seats::take(const std::string& team_id) {
  const std::lock_guard lock(m_mutex);
  if (m_taken[team_id] >= k_most) return nullptr;
  ++m_taken[team_id];
  const auto self = shared_from_this();
  return {static_cast<void*>(this), [self, team_id](void*) { self->leave(team_id); }};
}

void Seats::leave(const std::string& team_id) {
  const std::lock_guard lock(m_mutex);
  --m_taken[team_id];
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

namespace {

using text::Json;

constexpr std::int64_t k_usual_lifetime_s = 600;
constexpr std::int64_t k_longest_lifetime_s = 3'600;

const text::Types k_secret_types(
    "secret = {expires_after: {seconds: integer, anchor}, session: map}");

struct ClientSecret {
  std::string value{};
  std::string team_id{};
  std::string key_id{};  ///< of the key that created it
  std::int64_t expires_at = 0;
  std::string session{};  ///< the session's initial configuration, a JSON object as text
};

Result<void> insert_secret(Database& database, const ClientSecret& secret, std::int64_t now_s) {
  SVC_CHECK(database.change("DELETE FROM client_secrets WHERE expires_at < ?", now_s - 24 * 3'600));
  return run_sql(database,
                 "INSERT INTO client_secrets (value, team_id, key_id, expires_at,"
                 " session) VALUES (?,?,?,?,?)",
                 secret.value, secret.team_id, secret.key_id, secret.expires_at, secret.session);
}

}  // namespace

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
  const ClientSecret secret{
      .value = std::string(k_secret_prefix) + keys::new_secret().substr(sv("svc-").size()),
      .team_id = call.key.team_id,
      .key_id = call.key.id,
      .expires_at = now_s + lifetime,
      .session = session == nullptr ? "{}" : text::dump(*session)};
  SVC_CHECK(checked(call.state->change(
      [&](Database& database) { return insert_secret(database, secret, now_s); })));
  Answer answer = json_answer(Json{{"value", secret.value}, {"expires_at", secret.expires_at}});
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
