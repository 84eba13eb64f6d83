#include "emulator/api/phone/store.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "database/rows.h"

namespace svc::emulator::phone {
namespace {

constexpr std::array<std::string_view, 4> k_call_states = {"ringing", "active", "transferred",
                                                           "ended"};
constexpr std::string_view k_number_columns =
    "seq, id, team_id, number, name, origin, agent_id, webhook_id, auth_username, auth_password,"
    " allowed_addresses, sms, created_s, updated_s";
constexpr std::string_view k_call_columns =
    "id, team_id, number_id, caller, callee, state, created_ms, target_uri, keys, audio, event_id,"
    " deliveries, settled";

Number read_number_row(const Statement& row) {
  return {row.integer(0), row.text(1),          row.text(2),     row.text(3),    row.text(4),
          row.text(5),    row.text(6),          row.text(7),     row.text(8),    row.text(9),
          row.text(10),   row.integer(11) != 0, row.integer(12), row.integer(13)};
}

CallState state_of_word(std::string_view word) {
  const auto found = std::ranges::find(k_call_states, word);
  if (found == k_call_states.end()) return CallState::Ended;
  return static_cast<CallState>(found - k_call_states.begin());
}

PhoneCall read_call_row(const Statement& row) {
  return {row.text(0),         row.text(1),  row.text(2),
          row.text(3),         row.text(4),  state_of_word(row.text(5)),
          row.integer(6),      row.text(7),  row.text(8),
          row.bytes(9),        row.text(10), row.text(11),
          row.integer(12) != 0};
}

template <typename... Values>
Result<std::optional<Number>> one_number(Database& database, std::string_view condition,
                                         const Values&... values) {
  return first_row(
      database, read_number_row,
      fmt::format("SELECT {} FROM phone_numbers WHERE {}", k_number_columns, condition), values...);
}

}  // namespace

std::string_view call_state_name(CallState state) {
  return k_call_states[static_cast<std::size_t>(state)];
}

Result<void> insert_webhook(Database& database, const Webhook& webhook) {
  return run_sql(database,
                 "INSERT INTO phone_webhooks (id, team_id, name, url, auth_url, auth_token,"
                 " secret) VALUES (?,?,?,?,?,?,?)",
                 webhook.id, webhook.team_id, webhook.name, webhook.url, webhook.auth_url,
                 webhook.auth_token, webhook.secret);
}

Result<std::optional<Webhook>> find_webhook(Database& database, std::string_view team_id,
                                            std::string_view id) {
  return first_row(
      database,
      [](const Statement& row) {
        return Webhook{row.text(0), row.text(1), row.text(2), row.text(3),
                       row.text(4), row.text(5), row.text(6)};
      },
      "SELECT id, team_id, name, url, auth_url, auth_token, secret FROM"
      " phone_webhooks WHERE id = ? AND team_id = ?",
      id, team_id);
}

Result<bool> insert_number(Database& database, const Number& number) {
  SVC_TRY(changed,
          database.change("INSERT OR IGNORE INTO phone_numbers (id, team_id, number, name, origin,"
                          " agent_id, webhook_id, auth_username, auth_password, allowed_addresses,"
                          " sms, created_s, updated_s) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
                          number.id, number.team_id, number.number, number.name, number.origin,
                          number.agent_id, number.webhook_id, number.auth_username,
                          number.auth_password, number.allowed_addresses, std::int64_t{number.sms},
                          number.created_s, number.updated_s));
  return changed == 1;
}

Result<void> update_number(Database& database, const Number& number) {
  return run_sql(database,
                 "UPDATE phone_numbers SET name = ?, agent_id = ?, webhook_id = ?, sms = ?,"
                 " updated_s = ? WHERE seq = ?",
                 number.name, number.agent_id, number.webhook_id, std::int64_t{number.sms},
                 number.updated_s, number.seq);
}

Result<void> delete_number(Database& database, const Number& number) {
  SVC_CHECK(run_sql(database, "DELETE FROM phone_webhooks WHERE id = ? AND team_id = ?",
                    number.webhook_id, number.team_id));
  return run_sql(database, "DELETE FROM phone_numbers WHERE seq = ?", number.seq);
}

Result<std::optional<Number>> find_number(Database& database, std::string_view team_id,
                                          std::string_view id) {
  return one_number(database, "id = ? AND team_id = ?", id, team_id);
}

Result<std::optional<Number>> find_dialled(Database& database, std::string_view number) {
  return one_number(database, "number = ?", number);
}

Result<std::vector<Number>> all_numbers(Database& database, std::string_view team_id) {
  return all_rows(database, read_number_row,
                  fmt::format("SELECT {} FROM phone_numbers WHERE team_id = ?"
                              " ORDER BY seq",
                              k_number_columns),
                  team_id);
}

Result<void> insert_call(Database& database, const PhoneCall& call) {
  return run_sql(database,
                 fmt::format("INSERT INTO phone_calls ({}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
                             k_call_columns),
                 call.id, call.team_id, call.number_id, call.caller, call.callee,
                 call_state_name(call.state), call.created_ms, call.target_uri, call.keys,
                 Blob{call.audio}, call.event_id, call.deliveries, std::int64_t{call.settled});
}

Result<std::optional<PhoneCall>> find_call(Database& database, std::string_view id) {
  return first_row(database, read_call_row,
                   fmt::format("SELECT {} FROM phone_calls WHERE id = ?", k_call_columns), id);
}

Checked<PhoneCall> live_call(Result<std::optional<PhoneCall>> found, std::string_view team_id) {
  SVC_TRY(call, found_or(std::move(found), invalid_argument_error("invalid call_id")));
  if (call.team_id != team_id) return invalid_argument_error("invalid call_id");
  if (call.is_over()) {
    return not_found_error(fmt::format("The call {} has already ended.", call.id));
  }
  return std::move(call);
}

Result<void> set_call_state(Database& database, const PhoneCall& call) {
  return run_sql(database, "UPDATE phone_calls SET state = ?, target_uri = ? WHERE id = ?",
                 call_state_name(call.state), call.target_uri, call.id);
}

Result<void> set_call_deliveries(Database& database, const PhoneCall& call) {
  return run_sql(database, "UPDATE phone_calls SET deliveries = ?, settled = ? WHERE id = ?",
                 call.deliveries, std::int64_t{call.settled}, call.id);
}

}  // namespace svc::emulator::phone
