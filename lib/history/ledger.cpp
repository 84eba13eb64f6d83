#include "history/ledger.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/clock.h"
#include "history/store_file.h"

namespace svc::history {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds k_patience{5'000};

constexpr const char* k_ledger_schema = R"sql(
CREATE TABLE entries (
  id INTEGER PRIMARY KEY, time INTEGER NOT NULL, profile TEXT NOT NULL, emulated INTEGER NOT NULL,
  command TEXT NOT NULL, model TEXT NOT NULL, input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL, ticks INTEGER, request_id TEXT NOT NULL,
  key TEXT NOT NULL) STRICT;
CREATE INDEX entries_time ON entries (time);
CREATE INDEX entries_key ON entries (key) WHERE key <> '';
)sql";

/// Some hundreds of entries; whoever notes one more takes them all in.
constexpr std::uint64_t k_most_waiting = 64U << 10U;

constexpr FileKind k_ledger_kind{"the ledger", 0x7376636c /* "svcl" */, 1, k_ledger_schema};

const char* group_of(UsageBy by) {
  switch (by) {
    case UsageBy::Day:
      return "date(time, 'unixepoch', 'localtime')";
    case UsageBy::Model:
      return "model";
    case UsageBy::Command:
      return "command";
    case UsageBy::Profile:
      return "profile";
  }
  return "profile";
}

}  // namespace

Result<Ledger> Ledger::open(const std::string& path, Clock clock) {
  SVC_TRY(database, open_file(path, k_ledger_kind));
  // An entry that a power cut takes is no loss for which every call should wait for the disk.
  SVC_CHECK(database.run("PRAGMA synchronous = NORMAL"));
  Ledger ledger(std::move(database), LedgerIntake(path), clock ? std::move(clock) : unix_now);
  SVC_CHECK(ledger.take_in(k_patience));
  return ledger;
}

Result<std::int64_t> Ledger::note(const std::string& path, Entry entry, const Clock& clock) {
  if (entry.time == 0) entry.time = clock ? clock() : unix_now();
  SVC_TRY(waiting, LedgerIntake(path).add(entry));
  // The entry is safe; what else is wrong with the ledger is told where it is asked for.
  if (waiting > k_most_waiting) take_in_at_once(path);
  return entry.ticks.value_or(0);
}

void Ledger::take_in_at_once(const std::string& path) {
  auto database = open_file(path, k_ledger_kind, milliseconds(0));
  if (!database) return;
  Ledger ledger(std::move(*database), LedgerIntake(path), unix_now);
  static_cast<void>(ledger.take_in(milliseconds(0)));
}

bool Ledger::exists(const std::string& path) {
  if (path.empty()) return false;
  std::error_code none;
  return std::filesystem::exists(path, none) || LedgerIntake(path).is_waiting();
}

Result<void> Ledger::take_in(milliseconds patience) {
  if (!m_intake.is_waiting()) return {};
  // What is removed from its file must be in the ledger for good, whatever happens to the power.
  SVC_CHECK(m_database.run("PRAGMA synchronous = FULL"));
  const Result<void> taken = m_intake.take_in(
      m_database, [this](const Entry& entry) { return insert(entry); }, patience);
  SVC_CHECK(m_database.run("PRAGMA synchronous = NORMAL"));
  return taken;
}

Result<void> Ledger::insert(const Entry& entry) {
  using View = std::string_view;
  SVC_CHECK(m_database.change(
      "INSERT INTO entries(time, profile, emulated, command, model, input_tokens, output_tokens, "
      "cached_tokens, reasoning_tokens, ticks, request_id, key) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      entry.time != 0 ? entry.time : m_clock(), View(entry.profile),
      std::int64_t{entry.emulated ? 1 : 0}, View(entry.command), View(entry.model),
      entry.input_tokens, entry.output_tokens, entry.cached_tokens, entry.reasoning_tokens,
      entry.ticks, View(entry.request_id), View(entry.key)));
  return {};
}

Result<std::int64_t> Ledger::book(const Entry& entry, Booking booking) {
  using View = std::string_view;
  SVC_CHECK(take_in(k_patience));
  SVC_TRY(transaction, Transaction::begin(m_database));
  Entry added = entry;
  if (booking == Booking::Fetched && !entry.key.empty()) {
    SVC_TRY(row, m_database.query(
                     "SELECT count(*), coalesce(sum(ticks), 0), sum(input_tokens), "
                     "sum(output_tokens), sum(cached_tokens), sum(reasoning_tokens) FROM entries "
                     "WHERE key = ? AND profile = ?",
                     View(entry.key), View(entry.profile)));
    SVC_TRY(any, row.step());
    if (any && row.integer(0) > 0) {
      const auto more = [&row](std::int64_t now, int column) {
        return std::max<std::int64_t>(now - row.integer(column), 0);
      };
      added.ticks = more(entry.ticks.value_or(0), 1);
      added.input_tokens = more(entry.input_tokens, 2);
      added.output_tokens = more(entry.output_tokens, 3);
      added.cached_tokens = more(entry.cached_tokens, 4);
      added.reasoning_tokens = more(entry.reasoning_tokens, 5);
      if (*added.ticks == 0 && added.input_tokens == 0 && added.output_tokens == 0) {
        return std::int64_t{0};
      }
    }
  }
  SVC_CHECK(insert(added));
  SVC_CHECK(transaction.commit());
  return added.ticks.value_or(0);
}

Result<std::int64_t> Ledger::spent_today(std::string_view profile) {
  SVC_CHECK(take_in(k_patience));
  SVC_TRY(row, m_database.query("SELECT coalesce(sum(ticks), 0) FROM entries WHERE profile = ? AND "
                                "time >= unixepoch(?, 'unixepoch', 'localtime', 'start of day', "
                                "'utc')",
                                profile, m_clock()));
  SVC_TRY(any, row.step());
  return any ? row.integer(0) : std::int64_t{0};
}

Result<std::vector<UsageRow>> Ledger::usage(const UsageQuery& query) {
  SVC_CHECK(take_in(k_patience));
  const std::string sql = fmt::format(
      "SELECT {} AS name, count(*), sum(input_tokens), sum(output_tokens), sum(cached_tokens), "
      "sum(reasoning_tokens), coalesce(sum(ticks), 0) AS cost, sum(ticks IS NULL) FROM entries "
      "WHERE emulated = ?1 AND (?2 IS NULL OR time >= ?2) AND (?3 IS NULL OR time < ?3) AND "
      "(?4 IS NULL OR profile = ?4) GROUP BY name ORDER BY {}",
      group_of(query.by), query.by == UsageBy::Day ? "name" : "cost DESC, name");
  SVC_TRY(rows, m_database.query(sql, std::int64_t{query.emulated ? 1 : 0}, query.since,
                                 query.until, query.profile));
  std::vector<UsageRow> found;
  while (true) {
    SVC_TRY(more, rows.step());
    if (!more) return found;
    found.push_back({rows.text(0), rows.integer(1), rows.integer(2), rows.integer(3),
                     rows.integer(4), rows.integer(5), rows.integer(6), rows.integer(7)});
  }
}

}  // namespace svc::history
