#include "emulator/state/state.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "base/files.h"

namespace svc::emulator::keys {
namespace {

constexpr sv k_columns =
    "id, name, redacted, team_id, user_id, modified_by, acls, create_time, modify_time,"
    " expire_time, disabled, blocked, team_blocked, qps, qpm, tpm";

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  if (text.empty()) return lines;
  for (const sv line : split(text, '\n')) lines.emplace_back(line);
  return lines;
}

sv kind_word(Kind kind) {
  return kind == Kind::Inference ? "inference" : "management";
}

// Reads a row of k_columns.
KeyRecord read_key(const Statement& row) {
  KeyRecord key;
  std::string acls;
  read_row(row, key.id, key.name, key.redacted, key.team_id, key.user_id, key.modified_by, acls,
           key.create_time, key.modify_time, key.expire_time, key.disabled, key.blocked,
           key.team_blocked, key.qps, key.qpm, key.tpm);
  key.acls = split_lines(acls);
  return key;
}

template <typename... Values>
Result<std::optional<KeyRecord>> first_key(Database& database, sv from, const Values&... values) {
  return first_row(database, read_key, fmt::format("SELECT {} FROM keys {}", k_columns, from),
                   values...);
}

Result<void> record_change(Database& database, sv id, std::int64_t now_ms) {
  return run_sql(database, "INSERT OR REPLACE INTO key_changes VALUES (?,?)", id, now_ms);
}

}  // namespace

Result<void> insert_key(Database& database, const KeyRecord& key, sv secret, Kind kind,
                        std::int64_t now_ms) {
  SVC_CHECK(database.change(fmt::format("INSERT INTO keys ({}, kind, secret_hash)"
                                        " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                                        k_columns),
                            key.id, key.name, key.redacted, key.team_id, key.user_id,
                            key.modified_by, join(key.acls, "\n"), key.create_time, key.modify_time,
                            key.expire_time, std::int64_t{key.disabled}, std::int64_t{key.blocked},
                            std::int64_t{key.team_blocked}, key.qps, key.qpm, key.tpm,
                            kind_word(kind), sha256(secret)));
  return record_change(database, key.id, now_ms);
}

Result<std::optional<KeyRecord>> find_by_secret(Database& database, sv secret, Kind kind,
                                                std::int64_t now_ms) {
  const std::string hash = sha256(secret);
  SVC_TRY(key, first_key(database, "WHERE secret_hash = ? AND kind = ?", hash, kind_word(kind)));
  if (key) return key;
  return first_key(database,
                   "JOIN old_secrets ON key_id = id"
                   " WHERE old_secrets.secret_hash = ? AND kind = ? AND valid_until_ms > ?",
                   hash, kind_word(kind), now_ms);
}

Result<std::optional<KeyRecord>> find_by_id(Database& database, sv team_id, sv id) {
  return first_key(database, "WHERE id = ? AND team_id = ? AND kind = 'inference'", id, team_id);
}

Result<void> update_key(Database& database, const KeyRecord& key, std::int64_t now_ms) {
  SVC_CHECK(database.change(
      "UPDATE keys SET name = ?, modified_by = ?, acls = ?, modify_time = ?,"
      " expire_time = ?, disabled = ?, qps = ?, qpm = ?, tpm = ? WHERE id = ?",
      key.name, key.modified_by, join(key.acls, "\n"), key.modify_time, key.expire_time,
      std::int64_t{key.disabled}, key.qps, key.qpm, key.tpm, key.id));
  return record_change(database, key.id, now_ms);
}

Result<void> replace_secret(Database& database, const KeyRecord& key, sv secret,
                            std::int64_t old_valid_until_ms, std::int64_t now_ms) {
  SVC_CHECK(database.change("DELETE FROM old_secrets WHERE valid_until_ms <= ?", now_ms));
  SVC_CHECK(
      database.change("INSERT INTO old_secrets (secret_hash, key_id, valid_until_ms)"
                      " SELECT secret_hash, id, ? FROM keys WHERE id = ?",
                      old_valid_until_ms, key.id));
  SVC_CHECK(database.change("UPDATE keys SET secret_hash = ?, redacted = ? WHERE id = ?",
                            sha256(secret), key.redacted, key.id));
  return update_key(database, key, now_ms);
}

Result<void> delete_key(Database& database, sv id) {
  for (const sv sql :
       {sv("DELETE FROM keys WHERE id = ?"), sv("DELETE FROM old_secrets WHERE key_id = ?"),
        sv("DELETE FROM key_changes WHERE key_id = ?")}) {
    SVC_CHECK(database.change(sql, id));
  }
  return {};
}

Result<KeyPage> list_keys(Database& database, const KeyQuery& query) {
  std::string sql = fmt::format(
      "SELECT {}, rowid FROM keys WHERE kind = 'inference' AND team_id = ? AND rowid > ?"
      " AND (? = '' OR user_id = ?) AND (? IS NULL OR expire_time IS NULL OR expire_time > ?)",
      k_columns);
  for (std::size_t i = 0; i < query.acls.size(); ++i) {
    sql += " AND instr(char(10) || acls || char(10), char(10) || ? || char(10)) > 0";
  }
  sql += " ORDER BY rowid LIMIT ?";
  SVC_TRY(rows, database.query(sql, query.team_id, query.after, query.user_id, query.user_id,
                               query.unexpired_at, query.unexpired_at));
  int index = 6;
  for (const std::string& acl : query.acls) rows.bind(++index, sv(acl));
  // Fetch one more than requested, to know whether there is another page.
  rows.bind(++index, query.limit < 0 ? query.limit : query.limit + 1);
  KeyPage page;
  while (true) {
    SVC_TRY(found, rows.step());
    if (!found) return page;
    if (query.limit >= 0 && static_cast<std::int64_t>(page.keys.size()) == query.limit) {
      page.more = true;
      return page;
    }
    page.keys.push_back(read_key(rows));
    page.position = rows.integer(16);
  }
}

Result<std::int64_t> changed_ms(Database& database, sv id) {
  return first_value<std::int64_t>(database, "SELECT changed_ms FROM key_changes WHERE key_id = ?",
                                   id);
}

Result<std::int64_t> admit_creation(Database& database, sv team_id, std::int64_t now_ms) {
  constexpr std::int64_t k_interval_ms = 1500;
  constexpr std::int64_t k_burst = 10;
  SVC_TRY(recorded, first_value<std::int64_t>(
                        database, "SELECT due_ms FROM key_creations WHERE team_id = ?", team_id));
  const std::int64_t due = std::max(now_ms, recorded);
  const std::int64_t ahead = due - now_ms;
  if (ahead > (k_burst - 1) * k_interval_ms) return ahead - (k_burst - 1) * k_interval_ms;
  SVC_CHECK(database.change("INSERT OR REPLACE INTO key_creations VALUES (?,?)", team_id,
                            due + k_interval_ms));
  return std::int64_t{0};
}

}  // namespace svc::emulator::keys

namespace svc::emulator::text {
namespace {

std::string header_of(sv kind) {
  return fmt::format("svc emulator, {}, 1\n", kind);
}

}  // namespace

std::string seal(sv kind, sv content) {
  return base64_encode(header_of(kind) + std::string(content));
}

std::optional<std::string> unseal(sv kind, sv sealed) {
  auto content = base64_decode(sealed);
  const std::string header = header_of(kind);
  if (!content || !content->starts_with(header)) return std::nullopt;
  return content->substr(header.size());
}

}  // namespace svc::emulator::text

namespace svc::emulator {
namespace {

// Some Base64 characters have another meaning in a query.
constexpr std::array<std::pair<sv, sv>, 3> k_in_query = {{{"+", "-"}, {"/", "_"}, {"=", "."}}};

constexpr std::int64_t k_schema_version = 1;
constexpr std::int64_t k_application_id = 0x73766365;  // "svce"
constexpr std::int64_t k_day_s = 86'400;
constexpr std::int64_t k_response_days = 30;
constexpr std::int64_t k_deferred_days = 1;

constexpr Table k_responses("responses", "id, team_id, created_at, body, input_items, expires_at",
                            &StoredResponse::id, &StoredResponse::team_id,
                            &StoredResponse::created_at, &StoredResponse::body,
                            &StoredResponse::input_items, &StoredResponse::expires_at);

std::int64_t system_now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

struct DemoKey {
  sv id, name, redacted, user_id, secret;
  keys::Kind kind;
};
constexpr std::array k_demo_keys = {
    DemoKey{"00000000-0000-4000-8000-000000000001", "emulator demo key", "svc-...-key",
            k_demo_user_id, k_demo_key, keys::Kind::Inference},
    DemoKey{"00000000-0000-4000-8000-000000000002", "emulator demo management key", "svc-...-key",
            k_demo_user_id, k_demo_management_key, keys::Kind::Management},
    DemoKey{"00000000-0000-4000-8000-000000000003", "emulator demo member's management key",
            "svc-...mber", k_demo_member_id, k_demo_member_key, keys::Kind::Management}};

Result<void> add_demo_keys(Database& database, std::int64_t now_ms) {
  for (const DemoKey& demo : k_demo_keys) {
    KeyRecord key;
    key.id = demo.id;
    key.name = demo.name;
    key.redacted = demo.redacted;
    key.team_id = k_demo_team_id;
    key.user_id = key.modified_by = demo.user_id;
    key.create_time = key.modify_time = now_ms / 1000;
    if (demo.kind == keys::Kind::Inference) key.acls = {"api-key:endpoint:*", "api-key:model:*"};
    SVC_CHECK(keys::insert_key(database, key, demo.secret, demo.kind, now_ms));
  }
  return {};
}

Error not_a_state(const std::string& path, sv why) {
  return Error{Fault::Local,
               fmt::format("{} is not a state file of this emulator: {}.", quote_path(path), why),
               "Choose another file with --state, or move this one."};
}

}  // namespace

std::string make_page_token(sv kind, const std::vector<std::string>& values) {
  std::string token = text::seal(kind, text::dump(text::Json(values)));
  for (const auto& [plain, coded] : k_in_query) token = replace_all(token, plain, coded);
  return token;
}

std::optional<std::vector<std::string>> read_page_token(sv kind, sv token, std::size_t count) {
  std::string sealed(token);
  for (const auto& [plain, coded] : k_in_query) sealed = replace_all(sealed, coded, plain);
  const auto content = text::unseal(kind, sealed);
  if (!content) return std::nullopt;
  const text::Json list = text::parse_json(*content);
  if (!list.is_array() || list.size() != count) return std::nullopt;
  std::vector<std::string> values;
  for (const auto& value : list) {
    if (!value.is_string()) return std::nullopt;
    values.push_back(value.get<std::string>());
  }
  return values;
}

std::optional<std::int64_t> read_page_number(sv kind, sv token) {
  const auto values = read_page_token(kind, token, 1);
  return values ? parse_integer(values->front()) : std::nullopt;
}

Result<std::unique_ptr<State>> State::open(const std::string& path, StateClock clock,
                                           std::optional<std::int64_t> clock_s) {
  if (path != ":memory:") {
    const auto directory = std::filesystem::path(path).parent_path();
    if (!directory.empty()) SVC_CHECK(make_private_directory(directory));
  }
  SVC_TRY(database, Database::open(path, "the emulator's state"));
  if (!clock) clock = system_now_ms;
  std::unique_ptr<State> state(new State(std::move(database), std::move(clock)));
  if (clock_s) state->set_time(*clock_s * 1000);
  SVC_CHECK(state->prepare_file(path));
  return state;
}

Result<void> State::prepare_file(const std::string& path) {
  // Each test has a database of its own, most tables of which hold a row or none.
  if (path == ":memory:") SVC_CHECK(m_database.run("PRAGMA page_size = 1024"));
  // The first read shows whether the file is a database at all.
  auto version = m_database.number("PRAGMA user_version");
  if (!version) return not_a_state(path, "not a database");
  // In this order: another process that creates the tables now sets the ID in the same transaction.
  SVC_TRY(tables, m_database.number("SELECT count(*) FROM sqlite_schema"));
  SVC_TRY(application, m_database.number("PRAGMA application_id"));
  if (application != k_application_id && tables != 0) {
    return not_a_state(path, "created by another program");
  }
  if (*version > k_schema_version) {
    return not_a_state(path, "created by a newer version of the emulator");
  }
  SVC_CHECK(m_database.enable_wal());
  SVC_CHECK(m_database.run("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON"));
  SVC_CHECK(create_schema());
  return drop_expired();
}

Result<void> State::create_schema() {
  SVC_TRY(transaction, Transaction::begin(m_database));
  // Only here is it certain that no other process is creating the schema.
  SVC_TRY(version, m_database.number("PRAGMA user_version"));
  SVC_CHECK(m_database.run(text::embedded_file("schema.sql").data()));
  if (version == 0) {
    SVC_CHECK(m_database.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                         k_application_id, k_schema_version)
                                 .c_str()));
    SVC_CHECK(add_demo_keys(m_database, now_ms()));
  }
  return transaction.commit();
}

Result<std::vector<std::string>> State::tables() {
  // A full-text index manages its own tables; emptying the index empties them.
  return all_rows(
      m_database, [](const Statement& row) { return row.text(0); },
      "SELECT name FROM sqlite_schema WHERE type = 'table'"
      " AND name NOT GLOB 'sqlite_*' AND name NOT GLOB 'chunk_words_*'");
}

Result<void> State::reset(std::optional<std::int64_t> clock_s) {
  m_ahead_ms = 0;
  if (clock_s) set_time(*clock_s * 1000);
  const std::lock_guard lock(m_mutex);
  SVC_TRY(transaction, Transaction::begin(m_database));
  SVC_TRY(names, tables());
  for (const std::string& table : names) {
    SVC_CHECK(m_database.run(fmt::format("DELETE FROM {}", table).c_str()));
  }
  SVC_CHECK(m_database.run("DELETE FROM limits"));
  SVC_CHECK(add_demo_keys(m_database, now_ms()));
  return transaction.commit();
}

Result<void> State::seed_ids(std::optional<std::uint64_t> seed) {
  const std::lock_guard lock(m_mutex);
  std::uint64_t first = seed.value_or(0);
  if (seed) {
    SVC_TRY(times, m_database.number("INSERT INTO run_values VALUES ('seeded', 0) ON CONFLICT"
                                     " DO UPDATE SET value = value + 1 RETURNING value"));
    first += static_cast<std::uint64_t>(times) * 0x9E37'79B9'7F4A'7C15U;  // far from other seeds
  }
  const std::lock_guard ids_lock(m_ids_mutex);
  m_seed = seed;
  seed ? void(m_seeded_ids.emplace(first)) : m_seeded_ids.reset();
  return {};
}

std::string State::new_uuid() {
  const std::lock_guard lock(m_ids_mutex);
  if (!m_seeded_ids) return random_uuid();
  const std::uint64_t high = (*m_seeded_ids)();
  const std::uint64_t low = (*m_seeded_ids)();
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32U, high >> 16U & 0xFFFFU,
                     high & 0xFFFU, 0x8000U | (low >> 48U & 0x3FFFU), low & 0xFFFF'FFFF'FFFFU);
}

Result<void> State::save(const std::string& path) {
  const std::lock_guard lock(m_mutex);
  SVC_CHECK(run_sql(m_database, "INSERT OR REPLACE INTO run_values VALUES ('lead_ms', ?)",
                    now_ms() - system_now_ms()));
  SVC_TRY(saved, m_database.query("VACUUM INTO ?", sv(path)));
  SVC_CHECK(saved.step());
  return {};
}

Result<void> State::load(const std::string& path) {
  {
    SVC_TRY(other, Database::open(path, "the state to import"));
    const auto version = other.number("PRAGMA user_version");
    const auto application = other.number("PRAGMA application_id");
    if (!version || !application || *version != k_schema_version ||
        *application != k_application_id) {
      return usage_error("The body is not a state that this version of the emulator exported.");
    }
    SVC_CHECK(other.run(text::embedded_file("schema.sql").data()));
  }
  std::unique_lock lock(m_mutex);
  SVC_TRY(attached, m_database.query("ATTACH ? AS given", sv(path)));
  SVC_CHECK(attached.step());
  const auto copied = [&]() -> Result<void> {
    SVC_TRY(transaction, Transaction::begin(m_database));
    SVC_TRY(names, tables());
    for (const std::string& table : names) {
      const char* columns = table == "chunk_words" ? "rowid, text" : "*";
      const std::string into = table == "chunk_words" ? "chunk_words(rowid, text)" : table;
      SVC_CHECK(m_database.run(fmt::format("DELETE FROM {}; INSERT INTO {} SELECT {} FROM given.{}",
                                           table, into, columns, table)
                                   .c_str()));
    }
    return transaction.commit();
  }();
  attached.reset();
  const auto detached = m_database.run("DETACH given");
  SVC_CHECK(copied ? detached : copied);
  SVC_TRY(lead, first_value<std::int64_t>(m_database,
                                          "SELECT value FROM run_values WHERE name = 'lead_ms'"));
  set_time(system_now_ms() + lead);
  const auto seed = m_seed;
  lock.unlock();
  return seed_ids(seed);
}

std::span<const Limit> default_limits() {
  static constexpr std::array k_limits = {Limit{"realtime_sessions", 10},
                                          Limit{"credit_cents", 1'000'000}};
  return k_limits;
}

Result<std::int64_t> limit_of(Database& database, sv name) {
  SVC_TRY(set, first_row(
                   database, [](const Statement& row) { return row.integer(0); },
                   "SELECT value FROM limits WHERE name = ?", name));
  return set ? *set : std::ranges::find(default_limits(), name, &Limit::name)->value;
}

Result<void> State::set_limits(const std::vector<std::pair<std::string, std::int64_t>>& limits) {
  for (const auto& [name, value] : limits) {
    if (!has_element(default_limits(), name, &Limit::name)) {
      return usage_error(
          fmt::format("Unknown limit {}; there are realtime_sessions and credit_cents.",
                      visible(name, Lines::Escape)));
    }
    if (value < 0 || value > k_max_amount) {
      return usage_error(fmt::format("The limit {} must be from 0 to {}.", name, k_max_amount));
    }
  }
  const std::lock_guard lock(m_mutex);
  for (const auto& [name, value] : limits) {
    SVC_CHECK(run_sql(m_database, "INSERT OR REPLACE INTO limits VALUES (?,?)", name, value));
  }
  return {};
}

Result<void> State::store_response(StoredResponse response) {
  const std::lock_guard lock(m_mutex);
  SVC_CHECK(drop_expired());
  response.expires_at = response.created_at + k_response_days * k_day_s;
  SVC_CHECK(k_responses.insert(m_database, response));
  return {};
}

Result<std::optional<StoredResponse>> State::find_response(sv team_id, sv id) {
  const std::lock_guard lock(m_mutex);
  return k_responses.first(m_database, "WHERE id = ? AND team_id = ? AND expires_at > ?", id,
                           team_id, now_ms() / 1000);
}

Result<bool> State::delete_response(sv team_id, sv id) {
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
  return run_sql(m_database, "INSERT INTO deferred VALUES (?,?,?,?,?)", job.id, job.team_id,
                 job.ready_at_ms, expires_at, job.body);
}

Result<DeferredFetch> State::fetch_deferred(sv team_id, sv id, bool keep) {
  const std::lock_guard lock(m_mutex);
  const std::int64_t now = now_ms();
  // A single statement reads and deletes: of several callers, only one gets the row.
  if (!keep) {
    SVC_TRY(take, m_database.query("DELETE FROM deferred WHERE id = ? AND team_id = ?"
                                   " AND ready_at_ms <= ? AND expires_at > ? RETURNING body",
                                   id, team_id, now, now / 1000));
    SVC_TRY(taken, take.step());
    if (taken) {
      DeferredFetch fetch{DeferredFetch::Status::Ready, take.text(0)};
      SVC_CHECK(take.step());  // the deletion is committed when the statement finishes
      return fetch;
    }
  }
  SVC_TRY(row, m_database.query("SELECT ready_at_ms, body FROM deferred WHERE id = ? AND"
                                " team_id = ? AND expires_at > ?",
                                id, team_id, now / 1000));
  SVC_TRY(found, row.step());
  if (!found) return DeferredFetch{};
  if (row.integer(0) > now) return DeferredFetch{DeferredFetch::Status::Pending};
  return DeferredFetch{DeferredFetch::Status::Ready, row.text(1)};
}

Result<void> State::drop_expired() {
  const std::int64_t now_s = now_ms() / 1000;
  for (const sv sql : {sv("DELETE FROM responses WHERE expires_at <= ?"),
                       sv("DELETE FROM deferred WHERE expires_at <= ?")}) {
    SVC_CHECK(m_database.change(sql, now_s));
  }
  return {};
}

}  // namespace svc::emulator
