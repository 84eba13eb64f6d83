#include "emulator/state/key_store.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/sha256.h"
#include "base/text.h"
#include "database/rows.h"

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
  return run_sql(database,
                 "INSERT INTO key_changes (key_id, changed_ms) VALUES (?,?)"
                 " ON CONFLICT (key_id) DO UPDATE SET changed_ms ="
                 " excluded.changed_ms",
                 id, now_ms);
}

}  // namespace

Result<void> insert_key(Database& database, const KeyRecord& key, std::string_view secret,
                        Kind kind, std::int64_t now_ms) {
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

Result<std::optional<KeyRecord>> find_by_secret(Database& database, std::string_view secret,
                                                Kind kind, std::int64_t now_ms) {
  const std::string hash = sha256(secret);
  SVC_TRY(key, first_key(database, "WHERE secret_hash = ? AND kind = ?", hash, kind_word(kind)));
  if (key) return key;
  return first_key(database,
                   "JOIN old_secrets ON key_id = id"
                   " WHERE old_secrets.secret_hash = ? AND kind = ? AND valid_until_ms > ?",
                   hash, kind_word(kind), now_ms);
}

Result<std::optional<KeyRecord>> find_by_id(Database& database, std::string_view team_id,
                                            std::string_view id) {
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

Result<void> replace_secret(Database& database, const KeyRecord& key, std::string_view secret,
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

Result<void> delete_key(Database& database, std::string_view id) {
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

Result<std::int64_t> changed_ms(Database& database, std::string_view id) {
  return first_value<std::int64_t>(database, "SELECT changed_ms FROM key_changes WHERE key_id = ?",
                                   id);
}

Result<std::int64_t> admit_creation(Database& database, std::string_view team_id,
                                    std::int64_t now_ms) {
  constexpr std::int64_t k_interval_ms = 1500;
  constexpr std::int64_t k_burst = 10;
  SVC_TRY(recorded, first_value<std::int64_t>(
                        database, "SELECT due_ms FROM key_creations WHERE team_id = ?", team_id));
  const std::int64_t due = std::max(now_ms, recorded);
  const std::int64_t ahead = due - now_ms;
  if (ahead > (k_burst - 1) * k_interval_ms) return ahead - (k_burst - 1) * k_interval_ms;
  SVC_CHECK(
      database.change("INSERT INTO key_creations (team_id, due_ms) VALUES (?,?)"
                      " ON CONFLICT (team_id) DO UPDATE SET due_ms = excluded.due_ms",
                      team_id, due + k_interval_ms));
  return std::int64_t{0};
}

}  // namespace svc::emulator::keys
