#include "batch/journal.h"

#include <chrono>

#include <fmt/format.h>

#include "base/text.h"
#include "client/api_client.h"
#include "http/retry.h"

namespace svc::batch {
namespace {

// items.outcome: null while nothing is known. parts.certain: whether the call is known to have run.
constexpr const char* k_tables = R"sql(
CREATE TABLE IF NOT EXISTS facts(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS items(
  ordinal INTEGER PRIMARY KEY, line INTEGER NOT NULL, offset INTEGER NOT NULL,
  length INTEGER NOT NULL, hash INTEGER NOT NULL, id TEXT NOT NULL,
  part INTEGER, outcome INTEGER, reason TEXT, cost INTEGER);
CREATE UNIQUE INDEX IF NOT EXISTS items_id ON items(id);
CREATE TABLE IF NOT EXISTS batches(
  number INTEGER PRIMARY KEY, name TEXT NOT NULL, remote_id TEXT NOT NULL, file_id TEXT NOT NULL,
  stage INTEGER NOT NULL, assigned INTEGER NOT NULL, cost INTEGER NOT NULL, token TEXT NOT NULL,
  made_at INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS parts(number INTEGER PRIMARY KEY, batch INTEGER NOT NULL,
  certain INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS results(
  sequence INTEGER PRIMARY KEY AUTOINCREMENT, ordinal INTEGER NOT NULL UNIQUE, json BLOB);
CREATE TABLE IF NOT EXISTS tokens(batch INTEGER PRIMARY KEY, input INTEGER NOT NULL,
  output INTEGER NOT NULL, cached INTEGER NOT NULL, reasoning INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS stretches(
  ordinal INTEGER PRIMARY KEY, lines INTEGER NOT NULL, items INTEGER NOT NULL,
  offset INTEGER NOT NULL, line INTEGER NOT NULL, hash INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS left_out(ordinal INTEGER PRIMARY KEY);
CREATE TEMP TABLE present(id TEXT PRIMARY KEY) WITHOUT ROWID;
)sql";

// EXCLUSIVE keeps a second process out for as long as this one lives, and no longer: the kernel
// drops the lock with the process. FULL, because an acknowledged call must survive a power cut too.
constexpr const char* k_settings = R"sql(
PRAGMA busy_timeout = 0;
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA temp_store = FILE;
PRAGMA cache_size = -8000;
BEGIN IMMEDIATE;
)sql";

/// A process that was killed holds its locks until the kernel has taken it down.
constexpr std::chrono::milliseconds k_patience{2'000};

Error in_use(const std::string& path) {
  return Error{Fault::Local, fmt::format("another run is using the journal {}", shown_path(path)),
               "Wait for it to end, or pass another journal with --journal."};
}

std::int64_t as_signed(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

Error with_another_place(Error error) {
  error.hint = "Nothing was sent; choose another place with --journal.";
  return error;
}

std::uint64_t as_unsigned(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

}  // namespace

namespace {

/// The database, locked; nothing while another process has it, or when the file was removed before
/// the lock was had.
Result<std::optional<Database>> try_to_take(const std::string& path) {
  auto opened = Database::open(path, fmt::format("the journal {}", shown_path(path)));
  if (!opened) return with_another_place(std::move(opened).error());
  if (const auto taken = opened->run(k_settings); !taken) {
    if (taken.error().message.find("is locked") != std::string::npos) {
      return std::optional<Database>();
    }
    return with_another_place(taken.error());
  }
  if (opened->has_moved()) return std::optional<Database>();
  return std::optional<Database>(*std::move(opened));
}

}  // namespace

Result<Journal> Journal::open(const std::string& path, const CancelToken& cancel) {
  using std::chrono::steady_clock;
  const auto deadline = steady_clock::now() + k_patience;
  std::optional<Database> database;
  while (true) {
    SVC_TRY(taken, try_to_take(path));
    database = std::move(taken);
    if (database) break;
    if (steady_clock::now() >= deadline) return in_use(path);
    // Two that begin at once keep each other out; at random times one of them is first.
    SVC_CHECK(sleep_unless_stopped(
        std::chrono::milliseconds(5 + static_cast<int>(http::random_jitter() * 30)), cancel));
  }
  SVC_CHECK(database->run(k_tables));
  SVC_CHECK(database->run("COMMIT"));
  return Journal(*std::move(database));
}

/// Statements are prepared once: each is run up to a million times.
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
  SVC_TRY(row, m_database.query("SELECT value FROM facts WHERE name = ?", name));
  SVC_TRY(any, row.step());
  if (!any) return std::optional<std::string>();
  return std::optional<std::string>(row.text(0));
}

Result<void> Journal::wait_for_disk(bool waits) {
  return m_database.run(waits ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
}

Result<void> Journal::set_fact(std::string_view name, std::string_view value) {
  SVC_TRY(changed, m_database.change("INSERT OR REPLACE INTO facts VALUES(?, ?)", name, value));
  (void)changed;
  return {};
}

Result<void> Journal::add_stretch(const Stretch& stretch) {
  SVC_TRY(insert, statement("INSERT INTO stretches VALUES(?, ?, ?, ?, ?, ?)"));
  insert->bind(1, stretch.ordinal);
  insert->bind(2, stretch.lines);
  insert->bind(3, stretch.items);
  insert->bind(4, as_signed(stretch.offset));
  insert->bind(5, as_signed(stretch.line));
  insert->bind(6, as_signed(stretch.hash));
  SVC_TRY(row, insert->step());
  (void)row;
  insert->reset();
  return {};
}

Result<void> Journal::leave_out(std::int64_t ordinal) {
  SVC_TRY(added, m_database.change("INSERT INTO left_out VALUES(?)", ordinal));
  (void)added;
  SVC_TRY(counted, m_database.change("UPDATE stretches SET items = items - 1 WHERE ordinal = "
                                     "(SELECT max(ordinal) FROM stretches WHERE ordinal <= ?)",
                                     ordinal));
  (void)counted;
  return {};
}

Result<std::optional<Stretch>> Journal::next_stretch() {
  SVC_TRY(row, statement("SELECT ordinal, lines, items, offset, line, hash FROM stretches "
                         "ORDER BY ordinal LIMIT 1"));
  SVC_TRY(any, row->step());
  std::optional<Stretch> stretch;
  if (any) {
    stretch = Stretch{row->integer(0),
                      row->integer(1),
                      row->integer(2),
                      as_unsigned(row->integer(3)),
                      as_unsigned(row->integer(4)),
                      as_unsigned(row->integer(5))};
  }
  row->reset();
  return stretch;
}

Result<void> Journal::fill(const Stretch& stretch, const std::vector<ItemPlace>& items) {
  // Not BEGIN: whoever sends may be inside a transaction already.
  SVC_CHECK(m_database.run("SAVEPOINT fill"));
  const auto work = [&]() -> Result<void> {
    SVC_TRY(insert, statement("INSERT INTO items(ordinal, line, offset, length, hash, id) "
                              "SELECT ?, ?, ?, ?, ?, ? WHERE NOT EXISTS "
                              "(SELECT 1 FROM left_out WHERE ordinal = ?1)"));
    for (const ItemPlace& place : items) {
      insert->bind(1, place.ordinal);
      insert->bind(2, as_signed(place.line));
      insert->bind(3, as_signed(place.offset));
      insert->bind(4, as_signed(place.length));
      insert->bind(5, as_signed(place.hash));
      insert->bind(6, place.id);
      SVC_TRY(row, insert->step());
      (void)row;
      insert->reset();
    }
    SVC_TRY(gone, m_database.change("DELETE FROM stretches WHERE ordinal = ?", stretch.ordinal));
    (void)gone;
    return {};
  };
  const Result<void> done = work();
  if (!done) (void)m_database.run("ROLLBACK TO fill");
  SVC_CHECK(m_database.run("RELEASE fill"));
  return done;
}

Result<void> Journal::clear() {
  return m_database.run(
      "DELETE FROM items; DELETE FROM facts; DELETE FROM parts; DELETE FROM results; "
      "DELETE FROM stretches; DELETE FROM left_out; DELETE FROM batches; DELETE FROM tokens");
}

Result<Totals> Journal::totals() {
  SVC_TRY(row, m_database.prepare(
                   "SELECT count(*), count(part), total(outcome = 0), total(outcome = 1), "
                   "total(outcome = 2), total(outcome = 3), sum(cost) FROM items"));
  SVC_TRY(any, row.step());
  (void)any;
  SVC_TRY(paid, m_database.number("SELECT coalesce(sum(cost), 0) FROM batches"));
  SVC_TRY(waiting, m_database.number("SELECT coalesce(sum(items), 0) FROM stretches"));
  const auto count = [&row](int column) { return row.integer(column); };
  Totals totals{count(0), count(1), count(2), count(3), count(4), count(5), count(6)};
  totals.items += waiting;
  // A batch that is retried keeps its cost; its old results do not.
  totals.cost_ticks = std::max(totals.cost_ticks, paid);
  return totals;
}

Result<std::vector<std::pair<std::string, std::int64_t>>> Journal::reasons() {
  SVC_TRY(row, m_database.prepare("SELECT reason, count(*) FROM items WHERE outcome > 0 "
                                  "GROUP BY reason ORDER BY count(*) DESC, reason LIMIT 1000"));
  std::vector<std::pair<std::string, std::int64_t>> reasons;
  while (true) {
    SVC_TRY(any, row.step());
    if (!any) return reasons;
    reasons.emplace_back(row.text(0), row.integer(1));
  }
}

Result<std::int64_t> Journal::reopen(bool failed, bool cancelled) {
  SVC_TRY(transaction, begin());
  const std::string which = fmt::format("outcome IN ({}{}{})", failed ? "1, 3" : "",
                                        failed && cancelled ? ", " : "", cancelled ? "2" : "");
  SVC_CHECK(m_database.run(
      fmt::format("DELETE FROM results WHERE ordinal IN (SELECT ordinal FROM items WHERE {})",
                  which)
          .c_str()));
  SVC_TRY(changed,
          m_database.change(fmt::format(
              "UPDATE items SET part = NULL, outcome = NULL, reason = NULL WHERE {}", which)));
  SVC_CHECK(transaction.commit());
  return changed;
}

// Order: by the input, or by arrival.

Result<void> Journal::read_finished(Statement& row, std::int64_t from, const FinishedSink& sink) {
  row.bind(1, from);
  const auto read = [&]() -> Result<void> {
    Finished finished;
    while (true) {
      SVC_TRY(any, row.step());
      if (!any || row.is_null(7)) return {};
      finished.place = ItemPlace{row.integer(0),
                                 as_unsigned(row.integer(1)),
                                 as_unsigned(row.integer(2)),
                                 as_unsigned(row.integer(3)),
                                 as_unsigned(row.integer(4)),
                                 row.text(5)};
      finished.reason = row.text(6);
      finished.outcome = static_cast<Outcome>(row.integer(7));
      finished.json = row.bytes(8);
      finished.sequence = row.integer(9);
      finished.batch_id = row.text(10);
      SVC_CHECK(sink(finished));
    }
  };
  Result<void> done = read();
  row.reset();
  return done;
}

Result<void> Journal::each_in_order(std::int64_t from, const FinishedSink& sink) {
  SVC_TRY(rows,
          statement("SELECT i.ordinal, line, offset, length, hash, id, reason, outcome, json, "
                    "sequence, b.remote_id FROM items i LEFT JOIN results r ON r.ordinal = "
                    "i.ordinal LEFT JOIN parts p ON p.number = i.part LEFT JOIN batches b ON "
                    "b.number = p.batch WHERE i.ordinal >= ? ORDER BY i.ordinal"));
  return read_finished(*rows, from, sink);
}

Result<void> Journal::each_arrived(std::int64_t after, const FinishedSink& sink) {
  SVC_TRY(rows,
          statement("SELECT i.ordinal, line, offset, length, hash, id, reason, outcome, json, "
                    "sequence, b.remote_id FROM results r JOIN items i ON i.ordinal = r.ordinal "
                    "LEFT JOIN parts p ON p.number = i.part LEFT JOIN batches b ON b.number = "
                    "p.batch WHERE sequence > ? ORDER BY sequence"));
  return read_finished(*rows, after, sink);
}

}  // namespace svc::batch
