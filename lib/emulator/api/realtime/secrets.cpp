#include "emulator/api/realtime/secrets.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/keys/key_wire.h"
#include "emulator/handler/ids.h"
#include "emulator/handler/socket.h"
#include "emulator/json/check.h"
#include "emulator/json/json.h"
#include "emulator/model/rules.h"
#include "emulator/state/key_store.h"

namespace svc::emulator::realtime {
namespace {

using text::Json;

constexpr std::int64_t k_usual_lifetime_s = 600;
constexpr std::int64_t k_longest_lifetime_s = 3'600;

const text::Types k_secret_types(
    "secret = {expires_after: {seconds: integer, anchor}, session: map}");

struct ClientSecret {
  std::string value{};
  std::string team_id{};
  std::string key_id{};  ///< of the key that made it
  std::int64_t expires_at = 0;
  std::string session{};  ///< the session's first configuration, a JSON object as text
};

Result<void> insert_secret(Database& database, const ClientSecret& secret, std::int64_t now_s) {
  SVC_TRY(dropped,
          database.change("DELETE FROM client_secrets WHERE expires_at < ?", now_s - 24 * 3'600));
  (void)dropped;
  SVC_TRY(changed, database.change("INSERT INTO client_secrets (value, team_id, key_id, expires_at,"
                                   " session) VALUES (?,?,?,?,?)",
                                   secret.value, secret.team_id, secret.key_id, secret.expires_at,
                                   secret.session));
  (void)changed;
  return {};
}

}  // namespace

Answer create_client_secret(const Call& call) {
  std::optional<Answer> refusal;
  const Json body = text::read_body(call, k_secret_types["secret"], refusal);
  if (refusal) return *refusal;
  std::int64_t lifetime = k_usual_lifetime_s;
  if (const Json* expiry = text::member(body, "expires_after")) {
    lifetime = text::integer_of(*expiry, "seconds").value_or(k_usual_lifetime_s);
  }
  if (lifetime < 1 || lifetime > k_longest_lifetime_s) {
    return text::refuse_argument(fmt::format("expires_after.seconds must be 1 to {}, not {}.",
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
  const auto inserted = call.state->change(
      [&](Database& database) { return insert_secret(database, secret, now_s); });
  if (!inserted) return refuse_internal(inserted.error());
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
