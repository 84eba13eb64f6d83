#include "emulator/state/key_store.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/sha256.h"
#include "base/text.h"

namespace svc::emulator::keys {

namespace {

constexpr sv k_columns =
    "id, name, redacted, team_id, user_id, modified_by, acls, create_time, modify_time,"
    " expire_time, disabled, blocked, team_blocked, qps, qpm, tpm";

std::string join_lines(const std::vector<std::string>& lines) {
  const std::vector<sv> views(lines.begin(), lines.end());
  return join(views, "\n");
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  if (text.empty()) return lines;
  for (const sv line : split(text, '\n')) lines.emplace_back(line);
  return lines;
}

sv kind_word(Kind kind) {
  return kind == Kind::Inference ? "inference" : "management";
}

// A row of k_columns.
KeyRecord read_key(const Statement& row) {
  KeyRecord key;
  key.id = row.text(0);
  key.name = row.text(1);
  key.redacted = row.text(2);
  key.team_id = row.text(3);
  key.user_id = row.text(4);
  key.modified_by = row.text(5);
  key.acls = split_lines(row.text(6));
  key.create_time = row.integer(7);
  key.modify_time = row.integer(8);
  key.expire_time = row.optional_integer(9);
  key.disabled = row.integer(10) != 0;
  key.blocked = row.integer(11) != 0;
  key.team_blocked = row.integer(12) != 0;
  key.qps = row.optional_integer(13);
  key.qpm = row.optional_integer(14);
  key.tpm = row.optional_integer(15);
  return key;
}

Result<std::optional<KeyRecord>> first_key(Result<Statement> query) {
  if (!query) return std::move(query).error();
  SVC_TRY(found, query->step());
  if (!found) return std::optional<KeyRecord>{};
  return std::optional(read_key(*query));
}

Result<void> note_change(Database& database, sv id, std::int64_t now_ms) {
  SVC_TRY(changed, database.change("INSERT INTO key_changes (key_id, changed_ms) VALUES (?,?)"
                                   " ON CONFLICT (key_id) DO UPDATE SET changed_ms ="
                                   " excluded.changed_ms",
                                   id, now_ms));
  (void)changed;
  return {};
}

}  // namespace

Result<void> insert_key(Database& database, const KeyRecord& key, std::string_view secret,
                        Kind kind, std::int64_t now_ms) {
  SVC_TRY(changed, database.change(fmt::format("INSERT INTO keys ({}, kind, secret_hash)"
                                               " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                                               k_columns),
                                   key.id, key.name, key.redacted, key.team_id, key.user_id,
                                   key.modified_by, join_lines(key.acls), key.create_time,
                                   key.modify_time, key.expire_time, std::int64_t{key.disabled},
                                   std::int64_t{key.blocked}, std::int64_t{key.team_blocked},
                                   key.qps, key.qpm, key.tpm, kind_word(kind), sha256(secret)));
  (void)changed;
  return note_change(database, key.id, now_ms);
}

Result<std::optional<KeyRecord>> find_by_secret(Database& database, std::string_view secret,
                                                Kind kind, std::int64_t now_ms) {
  const std::string hash = sha256(secret);
  SVC_TRY(key, first_key(database.query(
                   fmt::format("SELECT {} FROM keys WHERE secret_hash = ? AND kind = ?", k_columns),
                   hash, kind_word(kind))));
  if (key) return key;
  return first_key(database.query(
      fmt::format("SELECT {} FROM keys JOIN old_secrets ON key_id = id"
                  " WHERE old_secrets.secret_hash = ? AND kind = ? AND valid_until_ms > ?",
                  k_columns),
      hash, kind_word(kind), now_ms));
}

Result<std::optional<KeyRecord>> find_by_id(Database& database, std::string_view team_id,
                                            std::string_view id) {
  return first_key(database.query(
      fmt::format("SELECT {} FROM keys WHERE id = ? AND team_id = ? AND kind = 'inference'",
                  k_columns),
      id, team_id));
}

Result<void> update_key(Database& database, const KeyRecord& key, std::int64_t now_ms) {
  SVC_TRY(changed,
          database.change("UPDATE keys SET name = ?, modified_by = ?, acls = ?, modify_time = ?,"
                          " expire_time = ?, disabled = ?, qps = ?, qpm = ?, tpm = ? WHERE id = ?",
                          key.name, key.modified_by, join_lines(key.acls), key.modify_time,
                          key.expire_time, std::int64_t{key.disabled}, key.qps, key.qpm, key.tpm,
                          key.id));
  (void)changed;
  return note_change(database, key.id, now_ms);
}

Result<void> replace_secret(Database& database, const KeyRecord& key, std::string_view secret,
                            std::int64_t old_valid_until_ms, std::int64_t now_ms) {
  SVC_TRY(dropped, database.change("DELETE FROM old_secrets WHERE valid_until_ms <= ?", now_ms));
  (void)dropped;
  SVC_TRY(kept, database.change("INSERT INTO old_secrets (secret_hash, key_id, valid_until_ms)"
                                " SELECT secret_hash, id, ? FROM keys WHERE id = ?",
                                old_valid_until_ms, key.id));
  (void)kept;
  SVC_TRY(changed, database.change("UPDATE keys SET secret_hash = ?, redacted = ? WHERE id = ?",
                                   sha256(secret), key.redacted, key.id));
  (void)changed;
  return update_key(database, key, now_ms);
}

Result<void> delete_key(Database& database, std::string_view id) {
  for (const sv sql :
       {sv("DELETE FROM keys WHERE id = ?"), sv("DELETE FROM old_secrets WHERE key_id = ?"),
        sv("DELETE FROM key_changes WHERE key_id = ?")}) {
    SVC_TRY(changed, database.change(sql, id));
    (void)changed;
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
  // One more than wanted tells whether there is another page.
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
  SVC_TRY(row, database.query("SELECT changed_ms FROM key_changes WHERE key_id = ?", id));
  SVC_TRY(found, row.step());
  return found ? row.integer(0) : 0;
}

Result<std::int64_t> admit_creation(Database& database, std::string_view team_id,
                                    std::int64_t now_ms) {
  constexpr std::int64_t k_interval_ms = 1500;
  constexpr std::int64_t k_burst = 10;
  std::int64_t due = now_ms;
  {
    SVC_TRY(row, database.query("SELECT due_ms FROM key_creations WHERE team_id = ?", team_id));
    SVC_TRY(found, row.step());
    if (found) due = std::max(due, row.integer(0));
  }
  const std::int64_t ahead = due - now_ms;
  if (ahead > (k_burst - 1) * k_interval_ms) return ahead - (k_burst - 1) * k_interval_ms;
  SVC_TRY(changed, database.change("INSERT INTO key_creations (team_id, due_ms) VALUES (?,?)"
                                   " ON CONFLICT (team_id) DO UPDATE SET due_ms = excluded.due_ms",
                                   team_id, due + k_interval_ms));
  (void)changed;
  return std::int64_t{0};
}

}  // namespace svc::emulator::keys
