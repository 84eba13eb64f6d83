#include "emulator/state/state.h"

#include <array>
#include <chrono>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "base/file_descriptor.h"
#include "base/files.h"
#include "base/text.h"
#include "emulator/state/key_store.h"
#include "emulator/state/schemas.h"

namespace svc::emulator {
namespace {

constexpr std::int64_t k_schema_version = 1;
constexpr std::int64_t k_application_id = 0x73766365;  // "svce"
constexpr std::int64_t k_day_s = 86'400;
constexpr std::int64_t k_response_days = 30;
constexpr std::int64_t k_deferred_days = 1;

constexpr const char* k_schema = R"sql(
CREATE TABLE keys (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, secret_hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
  redacted TEXT NOT NULL, team_id TEXT NOT NULL, user_id TEXT NOT NULL, modified_by TEXT NOT NULL,
  acls TEXT NOT NULL, create_time INTEGER NOT NULL, modify_time INTEGER NOT NULL,
  expire_time INTEGER, disabled INTEGER NOT NULL, blocked INTEGER NOT NULL,
  team_blocked INTEGER NOT NULL, qps INTEGER, qpm INTEGER, tpm INTEGER) STRICT;
CREATE TABLE responses (
  id TEXT PRIMARY KEY, team_id TEXT NOT NULL, created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL, body TEXT NOT NULL, input_items TEXT NOT NULL) STRICT;
CREATE INDEX responses_expiry ON responses (expires_at);
CREATE TABLE deferred (
  id TEXT PRIMARY KEY, team_id TEXT NOT NULL, ready_at_ms INTEGER NOT NULL,
  expires_at INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
CREATE INDEX deferred_expiry ON deferred (expires_at);
)sql";

std::int64_t system_now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

KeyRecord demo_key(std::int64_t now_s) {
  KeyRecord key;
  key.id = "00000000-0000-4000-8000-000000000001";
  key.name = "emulator demo key";
  key.redacted = "svc-...-key";
  key.team_id = k_demo_team_id;
  key.user_id = k_demo_user_id;
  key.modified_by = k_demo_user_id;
  key.acls = {"api-key:endpoint:*", "api-key:model:*"};
  key.create_time = now_s;
  key.modify_time = now_s;
  return key;
}

KeyRecord demo_management_key(std::int64_t now_s) {
  KeyRecord key = demo_key(now_s);
  key.id = "00000000-0000-4000-8000-000000000002";
  key.name = "emulator demo management key";
  key.acls = {};
  return key;
}

KeyRecord demo_member_key(std::int64_t now_s) {
  KeyRecord key = demo_management_key(now_s);
  key.id = "00000000-0000-4000-8000-000000000003";
  key.name = "emulator demo member's management key";
  key.redacted = "svc-...mber";
  key.user_id = key.modified_by = k_demo_member_id;
  return key;
}

Result<void> add_demo_keys(Database& database, std::int64_t now_ms) {
  using keys::Kind;
  const auto add = [&](const KeyRecord& key, std::string_view secret, Kind kind) {
    return keys::insert_key(database, key, secret, kind, now_ms);
  };
  const std::int64_t now_s = now_ms / 1000;
  SVC_CHECK(add(demo_key(now_s), k_demo_key, Kind::Inference));
  SVC_CHECK(add(demo_management_key(now_s), k_demo_management_key, Kind::Management));
  return add(demo_member_key(now_s), k_demo_member_key, Kind::Management);
}

Error not_a_state(const std::string& path, std::string_view why) {
  return Error{Fault::Local,
               fmt::format("{} is not a state file of this emulator: {}.", shown_path(path), why),
               "Name another file with --state, or move this one away."};
}

}  // namespace

Result<std::unique_ptr<State>> State::open(const std::string& path, StateClock clock) {
  if (path != ":memory:") {
    const auto folder = std::filesystem::path(path).parent_path();
    if (!folder.empty()) SVC_CHECK(make_private_folder(folder));
  }
  SVC_TRY(database, Database::open(path, "the emulator's state"));
  if (!clock) clock = system_now_ms;
  std::unique_ptr<State> state(new State(std::move(database), std::move(clock)));
  SVC_CHECK(state->prepare_file(path));
  return state;
}

Result<void> State::prepare_file(const std::string& path) {
  // The first read tells whether the file is a database at all.
  auto version = m_database.number("PRAGMA user_version");
  if (!version) return not_a_state(path, "it cannot be read as a database");
  // In this order: whoever makes the tables at this moment sets the id in the same transaction.
  SVC_TRY(tables, m_database.number("SELECT count(*) FROM sqlite_schema"));
  SVC_TRY(application, m_database.number("PRAGMA application_id"));
  if (application != k_application_id && tables != 0) {
    return not_a_state(path, "another program made it");
  }
  if (*version > k_schema_version) {
    return not_a_state(path, "a newer version of the emulator made it");
  }
  SVC_CHECK(m_database.use_write_ahead_log());
  SVC_CHECK(m_database.run("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON"));
  SVC_CHECK(create_schema());
  return drop_expired();
}

Result<void> State::create_schema() {
  SVC_TRY(transaction, Transaction::begin(m_database));
  // Only now is it sure that no other process is making the schema.
  SVC_TRY(version, m_database.number("PRAGMA user_version"));
  if (version == 0) {
    SVC_CHECK(m_database.run(k_schema));
    SVC_CHECK(m_database.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                         k_application_id, k_schema_version)
                                 .c_str()));
  }
  for (const char* tables : area_schemas()) SVC_CHECK(m_database.run(tables));
  if (version == 0) SVC_CHECK(add_demo_keys(m_database, now_ms()));
  return transaction.commit();
}

Result<void> State::reset() {
  const std::lock_guard lock(m_mutex);
  SVC_TRY(transaction, Transaction::begin(m_database));
  std::vector<std::string> tables;
  {
    // The tables behind an index of words are its own; emptying the index empties them.
    SVC_TRY(row, m_database.query("SELECT name FROM sqlite_schema WHERE type = 'table'"
                                  " AND name NOT GLOB 'sqlite_*'"
                                  " AND name NOT GLOB 'chunk_words_*'"));
    for (;;) {
      SVC_TRY(found, row.step());
      if (!found) break;
      tables.push_back(row.text(0));
    }
  }
  for (const std::string& table : tables) {
    SVC_CHECK(m_database.run(fmt::format("DELETE FROM {}", table).c_str()));
  }
  SVC_CHECK(add_demo_keys(m_database, now_ms()));
  return transaction.commit();
}

Result<std::optional<KeyRecord>> State::find_key(std::string_view secret) {
  const std::lock_guard lock(m_mutex);
  return keys::find_by_secret(m_database, secret, keys::Kind::Inference, now_ms());
}

Result<std::optional<KeyRecord>> State::find_management_key(std::string_view secret) {
  const std::lock_guard lock(m_mutex);
  return keys::find_by_secret(m_database, secret, keys::Kind::Management, now_ms());
}

Result<void> State::add_key(const KeyRecord& key, std::string_view secret) {
  const std::lock_guard lock(m_mutex);
  return keys::insert_key(m_database, key, secret, keys::Kind::Inference, now_ms());
}

Result<void> State::store_response(const StoredResponse& response) {
  const std::lock_guard lock(m_mutex);
  SVC_CHECK(drop_expired());
  const std::int64_t expires_at = response.created_at + k_response_days * k_day_s;
  SVC_TRY(changed,
          m_database.change("INSERT INTO responses (id, team_id, created_at, expires_at, body,"
                            " input_items) VALUES (?,?,?,?,?,?)",
                            response.id, response.team_id, response.created_at, expires_at,
                            response.body, response.input_items));
  (void)changed;
  return {};
}

Result<std::optional<StoredResponse>> State::find_response(std::string_view team_id,
                                                           std::string_view id) {
  const std::lock_guard lock(m_mutex);
  SVC_TRY(row, m_database.query("SELECT id, team_id, created_at, body, input_items FROM responses"
                                " WHERE id = ? AND team_id = ? AND expires_at > ?",
                                id, team_id, now_ms() / 1000));
  SVC_TRY(found, row.step());
  if (!found) return std::optional<StoredResponse>{};
  return std::optional(
      StoredResponse{row.text(0), row.text(1), row.integer(2), row.text(3), row.text(4)});
}

Result<bool> State::delete_response(std::string_view team_id, std::string_view id) {
  const std::lock_guard lock(m_mutex);
  SVC_TRY(changed,
          m_database.change("DELETE FROM responses WHERE id = ? AND team_id = ? AND expires_at > ?",
                            id, team_id, now_ms() / 1000));
  return changed != 0;
}

Result<void> State::add_deferred(const DeferredJob& job) {
  const std::lock_guard lock(m_mutex);
  SVC_CHECK(drop_expired());
  const std::int64_t expires_at = now_ms() / 1000 + k_deferred_days * k_day_s;
  SVC_TRY(changed,
          m_database.change("INSERT INTO deferred (id, team_id, ready_at_ms, expires_at, body)"
                            " VALUES (?,?,?,?,?)",
                            job.id, job.team_id, job.ready_at_ms, expires_at, job.body));
  (void)changed;
  return {};
}

Result<DeferredFetch> State::fetch_deferred(std::string_view team_id, std::string_view id) {
  const std::lock_guard lock(m_mutex);
  const std::int64_t now = now_ms();
  // One statement takes and removes: of several askers, on whatever connection, one gets the row.
  {
    SVC_TRY(take, m_database.query("DELETE FROM deferred WHERE id = ? AND team_id = ?"
                                   " AND ready_at_ms <= ? AND expires_at > ? RETURNING body",
                                   id, team_id, now, now / 1000));
    SVC_TRY(taken, take.step());
    if (taken) {
      DeferredFetch fetch{DeferredFetch::Status::Ready, take.text(0)};
      SVC_TRY(more, take.step());  // the deletion is committed when the statement is done
      (void)more;
      return fetch;
    }
  }
  SVC_TRY(row, m_database.query("SELECT 1 FROM deferred WHERE id = ? AND team_id = ?"
                                " AND expires_at > ?",
                                id, team_id, now / 1000));
  SVC_TRY(pending, row.step());
  return DeferredFetch{pending ? DeferredFetch::Status::Pending : DeferredFetch::Status::Unknown};
}

Result<void> State::drop_expired() {
  const std::int64_t now_s = now_ms() / 1000;
  for (const sv sql : {sv("DELETE FROM responses WHERE expires_at <= ?"),
                       sv("DELETE FROM deferred WHERE expires_at <= ?")}) {
    SVC_TRY(changed, m_database.change(sql, now_s));
    (void)changed;
  }
  return {};
}

}  // namespace svc::emulator
