#include "batch/journal.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "base/text.h"
#include "client/api_client.h"
#include "database/rows.h"
#include "http/retry.h"

namespace svc::batch {

namespace {

// items.outcome: null while unknown. parts.confirmed: whether the call is known to have run.
constexpr const char* k_schema = R"sql(
CREATE TABLE IF NOT EXISTS facts(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS items(
  ordinal INTEGER PRIMARY KEY, line INTEGER NOT NULL, offset INTEGER NOT NULL,
  length INTEGER NOT NULL, hash INTEGER NOT NULL, id TEXT NOT NULL,
  part INTEGER, outcome INTEGER, reason TEXT, cost INTEGER,
  reserved INTEGER, lost INTEGER, lost_sends INTEGER);
CREATE UNIQUE INDEX IF NOT EXISTS items_id ON items(id);
CREATE TABLE IF NOT EXISTS batches(
  number INTEGER PRIMARY KEY, name TEXT NOT NULL, remote_id TEXT NOT NULL, file_id TEXT NOT NULL,
  stage INTEGER NOT NULL, assigned INTEGER NOT NULL, cost INTEGER NOT NULL, token TEXT NOT NULL,
  created_at INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS parts(number INTEGER PRIMARY KEY, batch INTEGER NOT NULL,
  confirmed INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS results(
  sequence INTEGER PRIMARY KEY AUTOINCREMENT, ordinal INTEGER NOT NULL UNIQUE, json BLOB);
CREATE TABLE IF NOT EXISTS tokens(batch INTEGER PRIMARY KEY, input INTEGER NOT NULL,
  output INTEGER NOT NULL, cached INTEGER NOT NULL, reasoning INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS line_ranges(
  ordinal INTEGER PRIMARY KEY, lines INTEGER NOT NULL, items INTEGER NOT NULL,
  offset INTEGER NOT NULL, line INTEGER NOT NULL, hash INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS skipped(ordinal INTEGER PRIMARY KEY);
CREATE TEMP TABLE present(id TEXT PRIMARY KEY) WITHOUT ROWID;
)sql";

/// What is done to a table that has the column, or lacks it; `column` is empty for any table of
/// that name.
struct Change {
  const char* table;
  const char* column;
  const char* sql;
  bool lacks = false;
};

constexpr Change k_changes[] = {
    {"stretches", "", "ALTER TABLE stretches RENAME TO line_ranges"},
    {"left_out", "", "ALTER TABLE left_out RENAME TO skipped"},
    {"batches", "made_at", "ALTER TABLE batches RENAME COLUMN made_at TO created_at"},
    {"parts", "certain", "ALTER TABLE parts RENAME COLUMN certain TO confirmed"},
    // An older svc that opens the journal does without it.
    {"items", "reserved", "ALTER TABLE items ADD COLUMN reserved INTEGER", true},
    {"items", "lost", "ALTER TABLE items ADD COLUMN lost INTEGER", true},
    {"items", "lost_sends", "ALTER TABLE items ADD COLUMN lost_sends INTEGER", true},
};

// EXCLUSIVE keeps other processes out exactly as long as this one lives, because the kernel
// releases the lock with the process. FULL, because an acknowledged call must survive a power cut,
// too.
constexpr const char* k_pragmas = R"sql(
PRAGMA busy_timeout = 0;
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA temp_store = FILE;
PRAGMA cache_size = -8000;
BEGIN IMMEDIATE;
)sql";

/// A killed process keeps its locks until the kernel has cleaned it up.
constexpr std::chrono::milliseconds k_lock_timeout{2'000};

/// Before a request is sent again: sets aside what it may have cost, or that this is not known.
constexpr const char* k_set_aside =
    "lost = nullif(coalesce(lost, 0) + coalesce(reserved, 0), 0), "
    "lost_sends = nullif(coalesce(lost_sends, 0) + "
    "(coalesce(outcome, 3) = 3 AND reserved IS NULL), 0), reserved = NULL";

Error in_use(const std::string& path) {
  return Error{Fault::Local, fmt::format("another run is using the journal {}", quote_path(path)),
               "Wait for it to finish, or pass another journal with --journal."};
}

Error with_journal_hint(Error error) {
  error.hint = "Nothing was sent. Choose another path with --journal.";
  return error;
}

/// The number after "format: " in the description of a journal of format 1 or 2.
std::optional<std::int64_t> format_in(std::string_view description) {
  constexpr std::string_view k_name = "format: ";
  if (!description.starts_with(k_name)) return std::nullopt;
  return parse_integer(description.substr(k_name.size(), description.find('\n') - k_name.size()));
}

/// A description without the lines that only formats 1 and 2 have.
std::string migrated_description(std::string_view description) {
  std::string kept;
  for (const std::string_view line : split(description, '\n')) {
    const bool old = line.starts_with("format: ") || line.starts_with("skip-invalid: ") ||
                     line.starts_with("by file: ");
    if (!old && !line.empty()) kept.append(line).append("\n");
  }
  return kept;
}

Result<std::optional<std::string>> saved_fact(Database& database, std::string_view name) {
  return first_value<std::optional<std::string>>(database, "SELECT value FROM facts WHERE name = ?",
                                                 name);
}

/// Brings the tables of an older format up to date. Local for a newer format.
Result<void> migrate(Database& database, const std::string& path) {
  SVC_TRY(tables, database.number("SELECT count(*) FROM sqlite_master WHERE name = 'facts'"));
  if (tables == 0) return {};
  SVC_TRY(saved, saved_fact(database, "format"));
  SVC_TRY(description, saved_fact(database, "description"));
  const std::optional<std::int64_t> format =
      saved ? parse_integer(*saved) : format_in(description.value_or(""));
  if (format.value_or(1) > k_journal_format) {
    return Error{Fault::Local,
                 fmt::format("the journal {} was written by a newer svc (format {}; this svc reads "
                             "up to {})",
                             quote_path(path), *format, k_journal_format),
                 "Nothing was sent. Update svc to resume the run."};
  }
  for (const Change& change : k_changes) {
    SVC_TRY(exists,
            first_value<std::int64_t>(database,
                                      "SELECT count(*) FROM sqlite_master m LEFT JOIN "
                                      "pragma_table_info(m.name) c ON c.name = ?2 "
                                      "WHERE m.name = ?1 AND (?2 = '' OR (c.name IS NULL) = ?3)",
                                      change.table, change.column, change.lacks));
    if (exists > 0) SVC_CHECK(database.run(change.sql));
  }
  if (!description || saved) return {};
  return run_sql(database, "UPDATE facts SET value = ? WHERE name = 'description'",
                 migrated_description(*description));
}

/// The columns of a place: ordinal, line, offset, length, hash, id.
ItemLocation place_in(const Statement& row) {
  ItemLocation location;
  read_row(row, location.ordinal, location.line, location.offset, location.length, location.hash,
           location.id);
  return location;
}

/// Opens and locks the database; returns nothing if another process has the lock, or if the file
/// was removed before the lock was acquired.
Result<std::optional<Database>> try_open(const std::string& path) {
  auto opened = Database::open(path, fmt::format("the journal {}", quote_path(path)));
  if (!opened) return with_journal_hint(std::move(opened).error());
  if (const auto taken = opened->run(k_pragmas); !taken) {
    // A file that is removed meanwhile shows as an I/O error.
    if (opened->was_locked() || opened->has_moved()) return std::optional<Database>();
    return with_journal_hint(taken.error());
  }
  if (opened->has_moved()) return std::optional<Database>();
  return std::optional<Database>(*std::move(opened));
}

}  // namespace

Result<Journal> Journal::open(const std::string& path, const CancelToken& cancel) {
  using std::chrono::steady_clock;
  const auto deadline = steady_clock::now() + k_lock_timeout;
  std::optional<Database> database;
  while (true) {
    SVC_TRY(taken, try_open(path));
    database = std::move(taken);
    if (database) break;
    if (steady_clock::now() >= deadline) return in_use(path);
    // Two processes that start at the same time block each other; random delays let one go first.
    SVC_CHECK(interruptible_sleep(
        std::chrono::milliseconds(5 + static_cast<int>(http::random_jitter() * 30)), cancel));
  }
  SVC_CHECK(migrate(*database, path));
  SVC_CHECK(database->run(k_schema));
  SVC_CHECK(run_sql(*database, "INSERT OR IGNORE INTO facts VALUES('format', ?)",
                    std::to_string(k_journal_format)));
  SVC_CHECK(run_sql(*database, "UPDATE facts SET value = ?1 WHERE name = 'format' AND value <> ?1",
                    std::to_string(k_journal_format)));
  SVC_CHECK(database->run("COMMIT"));
  return Journal(*std::move(database));
}

/// Statements are prepared once, because each may run up to a million times.
Result<Statement*> Journal::statement(const char* sql) {
  const auto found = m_statements.find(sql);
  if (found != m_statements.end()) {
    found->second.reset();
    return &found->second;
  }
  SVC_TRY(made, m_database.prepare(sql));
  return &m_statements.emplace(sql, std::move(made)).first->second;
}

Result<std::optional<std::string>> Journal::fact(std::string_view name) {
  return saved_fact(m_database, name);
}

Result<void> Journal::set_synchronous(bool waits) {
  return m_database.run(waits ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
}

Result<void> Journal::set_fact(std::string_view name, std::string_view value) {
  return run_sql(m_database, "INSERT OR REPLACE INTO facts VALUES(?, ?)", name, value);
}

Result<void> Journal::add_range(const LineRange& range) {
  SVC_TRY(insert, statement("INSERT INTO line_ranges VALUES(?, ?, ?, ?, ?, ?)"));
  return insert->run(range.ordinal, range.lines, range.items, range.offset, range.line, range.hash);
}

Result<void> Journal::exclude(std::int64_t ordinal) {
  SVC_CHECK(run_sql(m_database, "INSERT INTO skipped VALUES(?)", ordinal));
  return run_sql(m_database,
                 "UPDATE line_ranges SET items = items - 1 WHERE ordinal = "
                 "(SELECT max(ordinal) FROM line_ranges WHERE ordinal <= ?)",
                 ordinal);
}

Result<std::optional<LineRange>> Journal::next_range() {
  const auto read = [](const Statement& row) {
    LineRange range;
    read_row(row, range.ordinal, range.lines, range.items, range.offset, range.line, range.hash);
    return range;
  };
  return first_row(m_database, read,
                   "SELECT ordinal, lines, items, offset, line, hash FROM line_ranges "
                   "ORDER BY ordinal LIMIT 1");
}

Result<void> Journal::fill(const LineRange& range, const std::vector<ItemLocation>& items) {
  // Not BEGIN: the caller may already be inside a transaction.
  SVC_CHECK(m_database.run("SAVEPOINT fill"));
  const auto work = [&]() -> Result<void> {
    SVC_TRY(insert, statement("INSERT INTO items(ordinal, line, offset, length, hash, id) "
                              "SELECT ?, ?, ?, ?, ?, ? WHERE NOT EXISTS "
                              "(SELECT 1 FROM skipped WHERE ordinal = ?1)"));
    for (const ItemLocation& location : items) {
      SVC_CHECK(insert->run(location.ordinal, location.line, location.offset, location.length,
                            location.hash, location.id));
    }
    return run_sql(m_database, "DELETE FROM line_ranges WHERE ordinal = ?", range.ordinal);
  };
  Result<void> done = work();
  if (!done) (void)m_database.run("ROLLBACK TO fill");
  SVC_CHECK(m_database.run("RELEASE fill"));
  return done;
}

Result<void> Journal::rehash(
    const std::function<Result<std::uint64_t>(const ItemLocation&)>& hash) {
  SVC_TRY(items, all_rows(m_database, place_in,
                          "SELECT ordinal, line, offset, length, hash, id FROM items"));
  SVC_TRY(update, statement("UPDATE items SET hash = ? WHERE ordinal = ?"));
  for (const ItemLocation& item : items) {
    SVC_TRY(now, hash(item));
    SVC_CHECK(update->run(now, item.ordinal));
  }
  return {};
}

Result<void> Journal::clear() {
  return m_database.run(
      "DELETE FROM items; DELETE FROM facts WHERE name <> 'format'; DELETE FROM parts; "
      "DELETE FROM results; "
      "DELETE FROM line_ranges; DELETE FROM skipped; DELETE FROM batches; DELETE FROM tokens");
}

Result<Totals> Journal::totals() {
  SVC_TRY(row, m_database.prepare(
                   "SELECT count(*), count(part), total(outcome = 0), total(outcome = 1), "
                   "total(outcome = 2), total(outcome = 3), sum(cost) FROM items"));
  SVC_CHECK(row.step());
  SVC_TRY(paid, m_database.number("SELECT coalesce(sum(cost), 0) FROM batches"));
  SVC_TRY(waiting, m_database.number("SELECT coalesce(sum(items), 0) FROM line_ranges"));
  Totals totals;
  read_row(row, totals.items, totals.assigned, totals.succeeded, totals.failed, totals.canceled,
           totals.unknown, totals.cost_ticks);
  totals.items += waiting;
  // A resent batch keeps its cost, but not its old results.
  totals.cost_ticks = std::max(totals.cost_ticks, paid);
  return totals;
}

Result<std::vector<std::pair<std::string, std::int64_t>>> Journal::reasons() {
  return all_rows(
      m_database, [](const Statement& row) { return std::pair(row.text(0), row.integer(1)); },
      "SELECT reason, count(*) FROM items WHERE outcome > 0 "
      "GROUP BY reason ORDER BY count(*) DESC, reason LIMIT 1000");
}

Result<std::int64_t> Journal::reopen(bool failed, bool canceled) {
  SVC_TRY(transaction, begin());
  const std::string which = fmt::format("outcome IN ({}{}{})", failed ? "1, 3" : "",
                                        failed && canceled ? ", " : "", canceled ? "2" : "");
  SVC_CHECK(m_database.run(
      fmt::format("DELETE FROM results WHERE ordinal IN (SELECT ordinal FROM items WHERE {})",
                  which)
          .c_str()));
  SVC_TRY(changed, m_database.change(fmt::format(
                       "UPDATE items SET part = NULL, outcome = NULL, reason = NULL, {} WHERE {}",
                       k_set_aside, which)));
  SVC_CHECK(transaction.commit());
  return changed;
}

// Results in input order, or in order of arrival.

Result<void> Journal::read_finished(Statement& row, std::int64_t from, const FinishedSink& sink,
                                    bool skips_gaps) {
  row.bind(1, from);
  const auto read = [&]() -> Result<void> {
    Finished finished;
    while (true) {
      SVC_TRY(any, row.step());
      if (!any || (row.is_null(7) && !skips_gaps)) return {};
      if (row.is_null(7)) continue;
      finished.location = place_in(row);
      finished.reason = row.text(6);
      finished.outcome = static_cast<Outcome>(row.integer(7));
      finished.json = row.bytes(8);
      finished.sequence = row.integer(9);
      SVC_CHECK(sink(finished));
    }
  };
  Result<void> done = read();
  row.reset();
  return done;
}

Result<void> Journal::for_each_in_order(std::int64_t from, const FinishedSink& sink,
                                        bool skips_gaps) {
  SVC_TRY(rows,
          statement("SELECT i.ordinal, line, offset, length, hash, id, reason, outcome, json, "
                    "sequence FROM items i LEFT JOIN results r ON r.ordinal = i.ordinal "
                    "WHERE i.ordinal >= ? ORDER BY i.ordinal"));
  return read_finished(*rows, from, sink, skips_gaps);
}

Result<void> Journal::for_each_by_arrival(std::int64_t after, const FinishedSink& sink) {
  SVC_TRY(rows,
          statement("SELECT i.ordinal, line, offset, length, hash, id, reason, outcome, json, "
                    "sequence FROM results r JOIN items i ON i.ordinal = r.ordinal "
                    "WHERE sequence > ? ORDER BY sequence"));
  return read_finished(*rows, after, sink, false);
}

Result<void> Journal::for_each_of(std::int64_t batch, const ResultSink& sink) {
  SVC_TRY(row, m_database.prepare("SELECT i.ordinal, coalesce(i.outcome, 3), r.json FROM items i "
                                  "JOIN parts p ON p.number = i.part LEFT JOIN results r "
                                  "ON r.ordinal = i.ordinal WHERE p.batch = ?"));
  row.bind_all(batch);
  while (true) {
    SVC_TRY(any, row.step());
    if (!any) return {};
    sink(row.integer(0), static_cast<Outcome>(row.integer(1)), row.bytes(2));
  }
}

// Sending and collecting.

Result<std::optional<ItemLocation>> Journal::next_unassigned(std::int64_t after) {
  SVC_TRY(row, statement("SELECT ordinal, line, offset, length, hash, id FROM items "
                         "WHERE ordinal > ? AND part IS NULL AND outcome IS NULL "
                         "ORDER BY ordinal LIMIT 1"));
  row->bind(1, after);
  SVC_TRY(any, row->step());
  std::optional<ItemLocation> location;
  if (any) location = place_in(*row);
  row->reset();
  if (location || !m_fill) return location;
  SVC_TRY(more, m_fill());
  return more ? next_unassigned(after) : Result<std::optional<ItemLocation>>(std::move(location));
}

Result<std::int64_t> Journal::count_unassigned() {
  return m_database.number(
      "SELECT (SELECT count(*) FROM items WHERE part IS NULL AND outcome IS NULL) + "
      "coalesce(sum(items), 0) FROM line_ranges");
}

Result<std::vector<JournalBatch>> Journal::batches() {
  const auto read = [](const Statement& row) {
    return JournalBatch{row.integer(0),
                        row.text(1),
                        row.text(2),
                        row.text(3),
                        static_cast<BatchStage>(row.integer(4)),
                        row.integer(5),
                        row.integer(6),
                        row.text(7),
                        row.integer(8)};
  };
  return all_rows(
      m_database, read,
      "SELECT number, name, remote_id, file_id, stage, assigned, cost, token, created_at "
      "FROM batches ORDER BY number");
}

Result<JournalBatch> Journal::add_batch(JournalBatch batch) {
  SVC_CHECK(run_sql(m_database,
                    "INSERT INTO batches(name, remote_id, file_id, stage, assigned, cost, token, "
                    "created_at) VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
                    batch.name, batch.remote_id, batch.file_id,
                    static_cast<std::int64_t>(batch.stage), batch.assigned, batch.cost_ticks,
                    batch.token, batch.created_at));
  batch.number = m_database.last_row_id();
  return batch;
}

Result<void> Journal::save_batch(const JournalBatch& batch) {
  return run_sql(m_database,
                 "UPDATE batches SET remote_id = ?, file_id = ?, stage = ?, assigned = ?, "
                 "cost = ?, token = ?, created_at = ? WHERE number = ?",
                 batch.remote_id, batch.file_id, static_cast<std::int64_t>(batch.stage),
                 batch.assigned, batch.cost_ticks, batch.token, batch.created_at, batch.number);
}

Result<std::int64_t> Journal::begin_part(std::int64_t batch,
                                         const std::vector<std::int64_t>& ordinals) {
  SVC_TRY(transaction, begin());
  SVC_TRY(part, add_part(batch, ordinals));
  SVC_CHECK(transaction.commit());
  return part;
}

Result<std::int64_t> Journal::add_part(std::int64_t batch,
                                       const std::vector<std::int64_t>& ordinals) {
  SVC_CHECK(run_sql(m_database, "INSERT INTO parts(batch, confirmed) VALUES(?, 0)", batch));
  const std::int64_t part = m_database.last_row_id();
  SVC_TRY(update, statement("UPDATE items SET part = ? WHERE ordinal = ?"));
  for (const std::int64_t ordinal : ordinals) SVC_CHECK(update->run(part, ordinal));
  SVC_CHECK(run_sql(m_database, "UPDATE batches SET assigned = assigned + ? WHERE number = ?",
                    ordinals.size(), batch));
  return part;
}

Result<void> Journal::reserve(std::int64_t ordinal, std::int64_t ticks) {
  SVC_TRY(update, statement("UPDATE items SET reserved = nullif(coalesce(reserved, 0) + ?2, 0) "
                            "WHERE ordinal = ?1"));
  return update->run(ordinal, ticks);
}

Result<std::vector<std::pair<ItemLocation, std::int64_t>>> Journal::unreserved() {
  return all_rows(
      m_database, [](const Statement& row) { return std::pair(place_in(row), row.integer(6)); },
      "SELECT ordinal, line, offset, length, hash, id, coalesce(lost_sends, 0) + "
      "(outcome IS 3 AND reserved IS NULL) AS sends FROM items WHERE sends > 0 "
      "ORDER BY ordinal");
}

Result<void> Journal::confirm_part(std::int64_t part) {
  return run_sql(m_database, "UPDATE parts SET confirmed = 1 WHERE number = ?", part);
}

Result<std::vector<std::int64_t>> Journal::batches_in_doubt() {
  return all_rows(
      m_database, [](const Statement& row) { return row.integer(0); },
      "SELECT DISTINCT batch FROM parts WHERE confirmed = 0");
}

Result<void> Journal::clear_present() {
  return m_database.run("DELETE FROM temp.present");
}

Result<void> Journal::mark_present(std::string_view id) {
  SVC_TRY(insert, statement("INSERT OR IGNORE INTO temp.present VALUES(?)"));
  return insert->run(id);
}

Result<std::int64_t> Journal::settle(std::int64_t batch) {
  SVC_TRY(transaction, begin());
  SVC_CHECK(run_sql(m_database,
                    "UPDATE items SET part = NULL WHERE part IN (SELECT number FROM parts WHERE "
                    "confirmed = 0 AND batch = ?) AND id NOT IN (SELECT id FROM temp.present)",
                    batch));
  SVC_TRY(confirmed, first_value<std::int64_t>(
                         m_database,
                         "SELECT count(*) FROM items WHERE part IN (SELECT number FROM parts WHERE "
                         "confirmed = 0 AND batch = ?)",
                         batch));
  SVC_CHECK(confirm_batch(batch));
  SVC_CHECK(run_sql(m_database,
                    "UPDATE batches SET assigned = (SELECT count(*) FROM items i JOIN parts "
                    "p ON p.number = i.part WHERE p.batch = ?1) WHERE number = ?1",
                    batch));
  SVC_CHECK(transaction.commit());
  return confirmed;
}

Result<void> Journal::confirm_batch(std::int64_t batch) {
  return run_sql(m_database, "UPDATE parts SET confirmed = 1 WHERE batch = ?", batch);
}

Result<void> Journal::drop_batch(std::int64_t batch) {
  SVC_TRY(transaction, begin());
  for (const char* sql :
       {"UPDATE items SET part = NULL WHERE part IN "
        "(SELECT number FROM parts WHERE batch = ?)",
        "DELETE FROM parts WHERE batch = ?", "DELETE FROM batches WHERE number = ?"}) {
    SVC_CHECK(run_sql(m_database, sql, batch));
  }
  return transaction.commit();
}

Result<void> Journal::unassign(std::int64_t ordinal) {
  return run_sql(m_database, "UPDATE items SET part = NULL WHERE ordinal = ? AND outcome IS NULL",
                 ordinal);
}

Result<void> Journal::reject_item(std::int64_t ordinal, std::string_view reason,
                                  std::int64_t batch) {
  SVC_TRY(transaction, begin());
  SVC_CHECK(run_sql(m_database, "INSERT INTO parts(batch, confirmed) VALUES(?, 1)", batch));
  SVC_CHECK(run_sql(m_database,
                    "UPDATE items SET part = last_insert_rowid(), outcome = 1, reason = ? "
                    "WHERE ordinal = ?",
                    reason, ordinal));
  SVC_CHECK(
      run_sql(m_database, "INSERT OR IGNORE INTO results(ordinal, json) VALUES(?, NULL)", ordinal));
  return transaction.commit();
}

Result<bool> Journal::add_result(std::int64_t batch, const ResultItem& item,
                                 std::string_view json) {
  SVC_TRY(find, statement("SELECT ordinal FROM items i JOIN parts p ON p.number = i.part "
                          "WHERE i.id = ? AND p.batch = ? AND i.outcome IS NULL"));
  find->bind_all(item.id, batch);
  SVC_TRY(any, find->step());
  const std::int64_t ordinal = any ? find->integer(0) : 0;
  find->reset();
  if (!any) return false;
  SVC_TRY(insert, statement("INSERT OR IGNORE INTO results(ordinal, json) VALUES(?, ?)"));
  SVC_CHECK(insert->run(ordinal, Blob{json}));
  SVC_TRY(update, statement("UPDATE items SET outcome = ?, reason = ?, "
                            "cost = coalesce(cost, 0) + ? WHERE ordinal = ?"));
  const auto reason = item.reason.empty() ? std::nullopt : std::optional(reason_class(item.reason));
  SVC_CHECK(update->run(static_cast<std::int64_t>(item.outcome), reason,
                        item.cost_ticks.value_or(0), ordinal));
  return true;
}

Result<void> Journal::add_tokens(std::int64_t batch, const Usage& usage) {
  return run_sql(
      m_database,
      "INSERT INTO tokens(batch, input, output, cached, reasoning) VALUES(?, ?, ?, ?, ?) "
      "ON CONFLICT(batch) DO UPDATE SET input = input + excluded.input, "
      "output = output + excluded.output, cached = cached + excluded.cached, "
      "reasoning = reasoning + excluded.reasoning",
      batch, usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.reasoning_tokens);
}

Result<Usage> Journal::tokens(std::int64_t batch) {
  const auto read = [](const Statement& row) {
    Usage usage;
    read_row(row, usage.input_tokens, usage.output_tokens, usage.cached_tokens,
             usage.reasoning_tokens);
    return usage;
  };
  SVC_TRY(found,
          first_row(m_database, read,
                    "SELECT input, output, cached, reasoning FROM tokens WHERE batch = ?", batch));
  return found.value_or(Usage{});
}

Result<bool> Journal::has_item(std::string_view id) {
  SVC_TRY(find, statement("SELECT 1 FROM items WHERE id = ?"));
  find->bind(1, id);
  SVC_TRY(any, find->step());
  find->reset();
  return any;
}

Result<void> Journal::assign_up_to(std::int64_t ordinal, std::int64_t batch) {
  while (m_fill) {
    SVC_TRY(range, next_range());
    if (!range || range->ordinal > ordinal) break;
    SVC_CHECK(m_fill());
  }
  SVC_TRY(transaction, begin());
  SVC_TRY(part, add_part(batch, {}));
  SVC_CHECK(run_sql(m_database,
                    "UPDATE items SET part = ? WHERE ordinal <= ? AND part IS NULL AND outcome IS "
                    "NULL",
                    part, ordinal));
  return transaction.commit();
}

Result<std::int64_t> Journal::count_missing(std::int64_t batch) {
  return first_value<std::int64_t>(m_database,
                                   "SELECT count(*) FROM items i JOIN parts p ON p.number = i.part "
                                   "WHERE p.batch = ? AND i.outcome IS NULL",
                                   batch);
}

Result<void> Journal::unassign_missing(std::int64_t batch) {
  return run_sql(m_database,
                 fmt::format("UPDATE items SET part = NULL, {} WHERE outcome IS NULL AND part IN "
                             "(SELECT number FROM parts WHERE batch = ?)",
                             k_set_aside),
                 batch);
}

Result<void> Journal::set_missing_outcome(std::int64_t batch, Outcome outcome,
                                          std::string_view reason) {
  SVC_TRY(transaction, begin());
  SVC_CHECK(run_sql(m_database,
                    "INSERT OR IGNORE INTO results(ordinal, json) SELECT ordinal, NULL FROM items "
                    "WHERE outcome IS NULL AND part IN (SELECT number FROM parts WHERE batch = ?)",
                    batch));
  SVC_CHECK(run_sql(m_database,
                    "UPDATE items SET outcome = ?, reason = ? WHERE outcome IS NULL AND part "
                    "IN (SELECT number FROM parts WHERE batch = ?)",
                    static_cast<std::int64_t>(outcome), reason, batch));
  return transaction.commit();
}

}  // namespace svc::batch
