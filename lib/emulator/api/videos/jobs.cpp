#include "emulator/api/videos/jobs.h"

#include "emulator/account/ledger.h"

namespace svc::emulator::videos {
namespace {

constexpr std::int64_t k_claim_ms = 30'000;

Result<void> drop_old(Database& database, std::int64_t now_s) {
  for (const char* sql : {"DELETE FROM video_inputs WHERE job_id IN"
                          " (SELECT id FROM video_jobs WHERE expires_at <= ?)",
                          "DELETE FROM video_jobs WHERE expires_at <= ?"}) {
    SVC_TRY(dropped, database.change(sql, now_s));
    (void)dropped;
  }
  return {};
}

Result<std::optional<Job>> read_job(Statement& row) {
  SVC_TRY(found, row.step());
  if (!found) return std::optional<Job>{};
  Job job{row.text(0), row.text(1), row.integer(2), row.integer(3), row.text(4)};
  if (!row.is_null(5)) job.result = row.text(5);
  return std::optional(std::move(job));
}

}  // namespace

Result<void> add_job(State& state, const Job& job, const std::string& film) {
  return state.change([&](Database& database) -> Result<void> {
    SVC_CHECK(drop_old(database, job.created_ms / 1000));
    // A batch whose worker was killed asks again for what it asked for before.
    SVC_TRY(added, database.change(
                       "INSERT OR IGNORE INTO video_jobs (id, team_id, created_ms, ready_at_ms,"
                       " expires_at, order_json) VALUES (?,?,?,?,?,?)",
                       job.id, job.team_id, job.created_ms, job.ready_at_ms,
                       job.created_ms / 1000 + 2 * k_retention_s, job.order));
    if (added == 0 || film.empty()) return {};
    SVC_TRY(kept, database.change("INSERT INTO video_inputs (job_id, role, time_s, data)"
                                  " VALUES (?,'film',0,?)",
                                  job.id, Blob{film}));
    (void)kept;
    return {};
  });
}

Result<std::optional<Job>> find_job(State& state, std::string_view team_id, std::string_view id) {
  return state.with([&](Database& database) -> Result<std::optional<Job>> {
    SVC_TRY(row, database.query("SELECT id, team_id, created_ms, ready_at_ms, order_json, result"
                                " FROM video_jobs WHERE id = ? AND team_id = ? AND expires_at > ?",
                                id, team_id, state.now_ms() / 1000));
    return read_job(row);
  });
}

Result<std::optional<Job>> find_due_upload(State& state) {
  const std::int64_t now = state.now_ms();
  return state.with([&](Database& database) -> Result<std::optional<Job>> {
    SVC_TRY(row, database.query("SELECT id, team_id, created_ms, ready_at_ms, order_json, result"
                                " FROM video_jobs WHERE result IS NULL AND ready_at_ms <= ?"
                                " AND claimed_until_ms <= ?"
                                " AND json_extract(order_json, '$.upload_url') <> ''"
                                " ORDER BY ready_at_ms LIMIT 1",
                                now, now));
    return read_job(row);
  });
}

Result<std::string> read_source(State& state, std::string_view id) {
  return state.with([&](Database& database) -> Result<std::string> {
    SVC_TRY(row, database.query("SELECT data FROM video_inputs WHERE job_id = ?", id));
    SVC_TRY(found, row.step());
    return found ? row.bytes(0) : std::string();
  });
}

Result<bool> claim_job(State& state, std::string_view id) {
  const std::int64_t now = state.now_ms();
  SVC_TRY(changed, state.with([&](Database& database) {
    return database.change(
        "UPDATE video_jobs SET claimed_until_ms = ? WHERE id = ?"
        " AND result IS NULL AND claimed_until_ms <= ?",
        now + k_claim_ms, id, now);
  }));
  return changed == 1;
}

Result<void> finish_job(State& state, const Job& job, std::string_view result,
                        const std::vector<Charge>& charges) {
  return state.change([&](Database& database) -> Result<void> {
    SVC_TRY(changed, database.change("UPDATE video_jobs SET result = ? WHERE id = ?"
                                     " AND result IS NULL",
                                     result, job.id));
    SVC_TRY(dropped, database.change("DELETE FROM video_inputs WHERE job_id = ?", job.id));
    (void)dropped;
    if (changed == 0 || charges.empty()) return {};
    return billing::book(database, job.team_id, charges, state.now_ms());
  });
}

}  // namespace svc::emulator::videos
