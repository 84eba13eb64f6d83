#include "emulator/api/batches/queue.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "emulator/account/ledger.h"
#include "emulator/api/batches/rows.h"

namespace svc::emulator::batches {
namespace {

/// What a transaction adds to the counters of one batch.
struct Tally {
  std::int64_t finished = 0;  ///< the last finish_number
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::int64_t cost_ticks = 0;
};

Result<Tally> begin_tally(Database& database, std::int64_t batch) {
  SVC_TRY(row, database.query("SELECT max(finish_number) FROM batch_requests WHERE batch = ?"
                              " AND finish_number IS NOT NULL",
                              batch));
  SVC_TRY(found, row.step());
  return Tally{.finished = found ? row.integer(0) : 0};
}

Result<void> note_wait(Database& database, const DueRequest& request, const Outcome& outcome) {
  SVC_TRY(changed, database.change("UPDATE batch_requests SET job = ?, due_ms = ? WHERE seq = ?",
                                   outcome.job, outcome.due_ms, request.seq));
  (void)changed;
  return {};
}

// `end` is prepared once for all of them: that costs more than running it.
Result<void> note_end(Statement& end, const DueRequest& request, const Outcome& outcome,
                      std::int64_t now_s, Tally& tally) {
  const bool good = outcome.kind == Outcome::Kind::Succeeded;
  end.reset();
  end.bind(1, std::string_view(good ? "succeeded" : "failed"));
  end.bind(2, now_s);
  end.bind(3, tally.finished + 1);
  end.bind(4, outcome.result);
  end.bind(5, request.seq);
  SVC_TRY(ended, end.step());
  if (!ended) return {};
  SVC_TRY(more, end.step());
  (void)more;
  ++tally.finished;
  ++(good ? tally.succeeded : tally.failed);
  tally.cost_ticks += outcome.cost_ticks;
  return {};
}

Result<void> add_tally(Database& database, std::int64_t batch, const Tally& tally) {
  SVC_TRY(changed, database.change("UPDATE batches SET num_pending = num_pending - ?1 - ?2,"
                                   " num_success = num_success + ?1, num_error = num_error + ?2,"
                                   " cost_ticks = cost_ticks + ?3 WHERE seq = ?4",
                                   tally.succeeded, tally.failed, tally.cost_ticks, batch));
  (void)changed;
  return {};
}

// Added up first: a batch has many requests, and few prices.
Result<void> book_all(Database& database, const std::vector<DueRequest>& requests,
                      const std::vector<Outcome>& outcomes, std::int64_t now_ms) {
  std::map<std::string, std::vector<Charge>> by_team;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    auto& charges = by_team[requests[i].team_id];
    for (const Charge& charge : outcomes[i].charges) {
      const auto same = std::ranges::find_if(charges, [&](const Charge& other) {
        return other.description == charge.description && other.unit == charge.unit &&
               other.unit_ticks == charge.unit_ticks;
      });
      if (same == charges.end()) {
        charges.push_back(charge);
      } else {
        same->units += charge.units;
      }
    }
  }
  for (const auto& [team_id, charges] : by_team) {
    if (!charges.empty()) SVC_CHECK(billing::book(database, team_id, charges, now_ms));
  }
  return {};
}

}  // namespace

Result<std::vector<DueRequest>> due_requests(State& state, std::int64_t limit) {
  return state.with([&](Database& database) -> Result<std::vector<DueRequest>> {
    std::vector<DueRequest> due;
    SVC_TRY(row, database.query("SELECT r.seq, r.batch, b.team_id, r.kind, r.body, r.job,"
                                " b.key_id"
                                " FROM batch_requests AS r INDEXED BY batch_requests_due"
                                " JOIN batches AS b ON b.seq = r.batch"
                                " WHERE r.state = 'pending' AND r.due_ms <= ?"
                                " ORDER BY r.due_ms LIMIT ?",
                                state.now_ms(), limit));
    for (;;) {
      SVC_TRY(found, row.step());
      if (!found) return due;
      due.push_back({row.integer(0), row.integer(1), row.text(2), row.text(3), row.text(4),
                     row.text(5), row.text(6)});
    }
  });
}

Result<void> note_outcomes(State& state, const std::vector<DueRequest>& requests,
                           const std::vector<Outcome>& outcomes) {
  const std::int64_t now_s = state.now_ms() / 1000;
  return state.change([&](Database& database) -> Result<void> {
    std::map<std::int64_t, Tally> tallies;
    SVC_TRY(end, database.prepare("UPDATE batch_requests SET state = ?, finish_time = ?,"
                                  " finish_number = ?, result = ?, body = '' WHERE seq = ?"
                                  " AND state = 'pending' RETURNING seq"));
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const DueRequest& request = requests[i];
      if (outcomes[i].kind == Outcome::Kind::Waits) {
        SVC_CHECK(note_wait(database, request, outcomes[i]));
        continue;
      }
      auto found = tallies.find(request.batch);
      if (found == tallies.end()) {
        SVC_TRY(tally, begin_tally(database, request.batch));
        found = tallies.emplace(request.batch, tally).first;
      }
      SVC_CHECK(note_end(end, request, outcomes[i], now_s, found->second));
    }
    for (const auto& [batch, tally] : tallies) SVC_CHECK(add_tally(database, batch, tally));
    return book_all(database, requests, outcomes, state.now_ms());
  });
}

Result<std::optional<Batch>> next_loading(State& state) {
  return state.with([&](Database& database) -> Result<std::optional<Batch>> {
    SVC_TRY(row, database.query(fmt::format("SELECT {} FROM batches WHERE loading = 1"
                                            " ORDER BY seq LIMIT 1",
                                            k_batch_columns)));
    SVC_TRY(found, row.step());
    if (!found) return std::optional<Batch>{};
    return std::optional(read_batch(row));
  });
}

Result<bool> load_requests(State& state, const Batch& batch, const NewRequest* requests,
                           std::size_t count) {
  const std::int64_t now_s = state.now_ms() / 1000;
  return state.change([&](Database& database) -> Result<bool> {
    SVC_TRY(current, find_row(database, batch.team_id, batch.id));
    if (!current || !current->loading) return false;
    SVC_TRY(insert, database.prepare("INSERT OR IGNORE INTO batch_requests (batch, id, kind, model,"
                                     " body, state, create_time, due_ms, job, result)"
                                     " VALUES (?,?,?,?,?,'loading',?,?,'','')"));
    for (std::size_t i = 0; i < count; ++i) {
      insert.reset();
      insert.bind(1, batch.seq);
      insert.bind(2, requests[i].id);
      insert.bind(3, requests[i].kind);
      insert.bind(4, requests[i].model);
      insert.bind(5, requests[i].body);
      insert.bind(6, now_s);
      insert.bind(7, requests[i].due_ms);
      SVC_TRY(row, insert.step());
      (void)row;
    }
    return true;
  });
}

Result<void> finish_loading(State& state, const Batch& batch) {
  return state.change([&](Database& database) -> Result<void> {
    SVC_TRY(current, find_row(database, batch.team_id, batch.id));
    if (!current || !current->loading) return {};
    SVC_TRY(count, database.change("UPDATE batch_requests SET state = 'pending' WHERE batch = ?"
                                   " AND state = 'loading'",
                                   batch.seq));
    SVC_TRY(changed, database.change("UPDATE batches SET loading = 0, num_requests = ?1,"
                                     " num_pending = ?1 WHERE seq = ?2",
                                     count, batch.seq));
    (void)changed;
    return {};
  });
}

}  // namespace svc::emulator::batches
