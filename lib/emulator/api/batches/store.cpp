#include "emulator/account/ledger.h"
#include "emulator/api/batches/batches.h"

namespace svc::emulator::batches {
namespace {

constexpr Table k_batches(
    "batches",
    "seq, id, team_id, name, key_id, create_time, expire_time, cancel_time, cancel_message,"
    " input_file_id, loading, num_requests, num_pending, num_success, num_error, num_cancelled,"
    " cost_ticks",
    &Batch::seq, &Batch::id, &Batch::team_id, &Batch::name, &Batch::key_id, &Batch::create_time,
    &Batch::expire_time, &Batch::cancel_time, &Batch::cancel_message, &Batch::input_file_id,
    &Batch::loading, &Batch::num_requests, &Batch::num_pending, &Batch::num_success,
    &Batch::num_error, &Batch::num_canceled, &Batch::cost_ticks);

Result<std::optional<Batch>> find_row(Database& database, sv team_id, sv id) {
  return k_batches.first(database, "WHERE id = ? AND team_id = ?", id, team_id);
}

constexpr std::int64_t k_lifetime_s = 30 * 86'400;

// Prepared once: for each of 100,000 rows, that would cost more than the insertion.
Result<std::optional<std::string>> insert_all(Database& database, std::int64_t batch,
                                              const std::vector<NewRequest>& requests,
                                              std::int64_t now_s) {
  SVC_TRY(insert, database.prepare("INSERT INTO batch_requests (batch, id, kind, model, body,"
                                   " state, create_time, due_ms, job, result)"
                                   " VALUES (?,?,?,?,?,'pending',?,?,'','')"
                                   " ON CONFLICT (batch, id) DO NOTHING RETURNING seq"));
  for (const NewRequest& request : requests) {
    insert.reset();
    insert.bind_all(batch, request.id, request.kind, request.model, request.body, now_s,
                    request.due_ms);
    SVC_TRY(inserted, insert.step());
    if (!inserted) return std::optional(request.id);
    SVC_CHECK(insert.step());
  }
  return std::optional<std::string>{};
}

// Returns why no requests can be added to the batch; "" if they can.
std::string check_state(const Batch& batch, std::int64_t now_s) {
  const char* why = batch.cancel_time            ? "is canceled"
                    : batch.expire_time <= now_s ? "is expired"
                    : batch.input_file_id        ? "was created from a file"
                                                 : nullptr;
  if (why == nullptr) return {};
  return fmt::format("Batch {} {}: no requests can be added to it.", batch.id, why);
}

RequestRow read_request(const Statement& row) {
  RequestRow request;
  read_row(row, request.position, request.id, request.kind, request.model, request.state,
           request.create_time, request.finish_time, request.result);
  return request;
}

Result<std::vector<RequestRow>> read_requests(State& state, sv sql, const Batch& batch,
                                              std::int64_t after, std::int64_t limit) {
  return state.with([&](Database& database) -> Result<std::vector<RequestRow>> {
    return all_rows(database, read_request, sql, batch.seq, after, limit);
  });
}

/// Changes of a batch's counters in one transaction.
struct Tally {
  std::int64_t finished = 0;  ///< the last finish_number
  std::int64_t succeeded = 0, failed = 0, cost_ticks = 0;
};

// `end` is prepared once for all rows: preparing costs more than running it.
Result<void> record_end(Statement& end, const DueRequest& request, const Outcome& outcome,
                        std::int64_t now_s, Tally& tally) {
  const bool good = outcome.kind == Outcome::Kind::Succeeded;
  end.reset();
  end.bind_all(sv(good ? "succeeded" : "failed"), now_s, tally.finished + 1, outcome.result,
               request.seq);
  SVC_TRY(ended, end.step());
  if (!ended) return {};
  SVC_CHECK(end.step());
  ++tally.finished;
  ++(good ? tally.succeeded : tally.failed);
  tally.cost_ticks += outcome.cost_ticks;
  return {};
}

Result<void> add_tally(Database& database, std::int64_t batch, const Tally& tally) {
  return run_sql(database,
                 "UPDATE batches SET num_pending = num_pending - ?1 - ?2,"
                 " num_success = num_success + ?1, num_error = num_error + ?2,"
                 " cost_ticks = cost_ticks + ?3 WHERE seq = ?4",
                 tally.succeeded, tally.failed, tally.cost_ticks, batch);
}

// Summed first: a batch has many requests, and few prices.
Result<void> charge_teams(Database& database, const std::vector<DueRequest>& requests,
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
    if (!charges.empty()) SVC_CHECK(billing::record_charges(database, team_id, charges, now_ms));
  }
  return {};
}

}  // namespace

Result<Batch> create_batch(State& state, sv team_id, sv key_id, sv name,
                           const std::optional<std::string>& input_file_id) {
  Batch batch;
  batch.id = "batch_" + state.new_uuid();
  batch.team_id = team_id;
  batch.name = name;
  batch.key_id = key_id;
  batch.create_time = state.now_ms() / 1000;
  batch.expire_time = batch.create_time + k_lifetime_s;
  batch.input_file_id = input_file_id;
  batch.loading = input_file_id.has_value();
  return state.with([&](Database& database) -> Result<Batch> {
    SVC_CHECK(k_batches.insert(database, batch));
    batch.seq = database.last_row_id();
    return std::move(batch);
  });
}

Result<std::optional<Batch>> find_batch(State& state, sv team_id, sv id) {
  return state.with([&](Database& database) { return find_row(database, team_id, id); });
}

Result<std::vector<Batch>> list_batches(State& state, sv team_id, std::int64_t before,
                                        std::int64_t limit) {
  return state.with([&](Database& database) {
    return k_batches.all(database,
                         "WHERE team_id = ?1 AND (?2 = 0 OR seq < ?2) ORDER BY seq DESC LIMIT ?3",
                         team_id, before, limit);
  });
}

Result<std::optional<std::string>> add_requests(State& state, sv team_id, sv id,
                                                const std::vector<NewRequest>& requests) {
  using Refusal = std::optional<std::string>;
  const std::int64_t now_s = state.now_ms() / 1000;
  return state.with([&](Database& database) -> Result<Refusal> {
    SVC_TRY(transaction, Transaction::begin(database));
    SVC_TRY(batch, find_row(database, team_id, id));
    if (!batch) return Refusal();
    if (std::string error = check_state(*batch, now_s); !error.empty()) return Refusal(error);
    SVC_TRY(duplicate, insert_all(database, batch->seq, requests, now_s));
    if (duplicate) {
      return Refusal(fmt::format("Duplicate batch_request_id: {} is already in the batch.",
                                 excerpt_message(*duplicate)));
    }
    const auto count = static_cast<std::int64_t>(requests.size());
    SVC_CHECK(
        database.change("UPDATE batches SET num_requests = num_requests + ?1,"
                        " num_pending = num_pending + ?1 WHERE seq = ?2",
                        count, batch->seq));
    SVC_CHECK(transaction.commit());
    return Refusal("");
  });
}

Result<std::vector<RequestRow>> list_requests(State& state, const Batch& batch, std::int64_t after,
                                              std::int64_t limit) {
  return read_requests(state,
                       "SELECT seq, id, kind, model, state, create_time, finish_time, ''"
                       " FROM batch_requests WHERE batch = ? AND seq > ? AND state <> 'loading'"
                       " ORDER BY seq LIMIT ?",
                       batch, after, limit);
}

Result<std::vector<RequestRow>> list_results(State& state, const Batch& batch, std::int64_t after,
                                             std::int64_t limit) {
  return read_requests(state,
                       "SELECT finish_number, id, kind, model, state, create_time, finish_time,"
                       " result FROM batch_requests WHERE batch = ? AND finish_number > ?"
                       " ORDER BY finish_number LIMIT ?",
                       batch, after, limit);
}

Result<std::optional<Batch>> cancel_batch(State& state, sv team_id, sv id,
                                          const std::optional<std::string>& message) {
  const std::int64_t now_s = state.now_ms() / 1000;
  return state.change([&](Database& database) -> Result<std::optional<Batch>> {
    SVC_TRY(batch, find_row(database, team_id, id));
    if (!batch || batch->cancel_time) return std::move(batch);
    SVC_TRY(canceled,
            database.change("UPDATE batch_requests SET state = 'cancelled', finish_time = ?"
                            " WHERE batch = ? AND state = 'pending'",
                            now_s, batch->seq));
    SVC_CHECK(database.change("DELETE FROM batch_requests WHERE batch = ? AND state = 'loading'",
                              batch->seq));
    SVC_CHECK(database.change(
        "UPDATE batches SET num_pending = 0, num_cancelled = num_cancelled + ?, cancel_time = ?,"
        " cancel_message = ?, loading = 0 WHERE seq = ?",
        canceled, now_s, message, batch->seq));
    return find_row(database, team_id, id);
  });
}

Result<std::vector<DueRequest>> due_requests(State& state, std::int64_t limit) {
  return state.with([&](Database& database) -> Result<std::vector<DueRequest>> {
    return all_rows(
        database,
        [](const Statement& row) {
          return DueRequest{row.integer(0), row.integer(1), row.text(2), row.text(3),
                            row.text(4),    row.text(5),    row.text(6)};
        },
        "SELECT r.seq, r.batch, b.team_id, r.kind, r.body, r.job,"
        " b.key_id"
        " FROM batch_requests AS r INDEXED BY batch_requests_due"
        " JOIN batches AS b ON b.seq = r.batch"
        " WHERE r.state = 'pending' AND r.due_ms <= ?"
        " ORDER BY r.due_ms LIMIT ?",
        state.now_ms(), limit);
  });
}

Result<void> record_outcomes(State& state, const std::vector<DueRequest>& requests,
                             const std::vector<Outcome>& outcomes) {
  const std::int64_t now_s = state.now_ms() / 1000;
  return state.change([&](Database& database) -> Result<void> {
    std::map<std::int64_t, Tally> tallies;
    SVC_TRY(end, database.prepare("UPDATE batch_requests SET state = ?, finish_time = ?,"
                                  " finish_number = ?, result = ?, body = '' WHERE seq = ?"
                                  " AND state = 'pending' RETURNING seq"));
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const DueRequest& request = requests[i];
      if (outcomes[i].kind == Outcome::Kind::Pending) {
        SVC_CHECK(database.change("UPDATE batch_requests SET job = ?, due_ms = ? WHERE seq = ?",
                                  outcomes[i].job, outcomes[i].due_ms, request.seq));
        continue;
      }
      auto found = tallies.find(request.batch);
      if (found == tallies.end()) {
        SVC_TRY(finished,
                first_value<std::int64_t>(database,
                                          "SELECT max(finish_number) FROM batch_requests"
                                          " WHERE batch = ? AND finish_number IS NOT NULL",
                                          request.batch));
        found = tallies.emplace(request.batch, Tally{.finished = finished}).first;
      }
      SVC_CHECK(record_end(end, request, outcomes[i], now_s, found->second));
    }
    for (const auto& [batch, tally] : tallies) SVC_CHECK(add_tally(database, batch, tally));
    return charge_teams(database, requests, outcomes, state.now_ms());
  });
}

Result<std::optional<Batch>> next_loading(State& state) {
  return state.with([&](Database& database) {
    return k_batches.first(database, "WHERE loading = 1 ORDER BY seq LIMIT 1");
  });
}

Result<bool> load_requests(State& state, const Batch& batch, std::span<const NewRequest> requests) {
  const std::int64_t now_s = state.now_ms() / 1000;
  return state.change([&](Database& database) -> Result<bool> {
    SVC_TRY(current, find_row(database, batch.team_id, batch.id));
    if (!current || !current->loading) return false;
    SVC_TRY(insert, database.prepare("INSERT OR IGNORE INTO batch_requests (batch, id, kind, model,"
                                     " body, state, create_time, due_ms, job, result)"
                                     " VALUES (?,?,?,?,?,'loading',?,?,'','')"));
    for (const NewRequest& request : requests) {
      SVC_CHECK(insert.run(batch.seq, request.id, request.kind, request.model, request.body, now_s,
                           request.due_ms));
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
    return run_sql(database,
                   "UPDATE batches SET loading = 0, num_requests = ?1,"
                   " num_pending = ?1 WHERE seq = ?2",
                   count, batch.seq);
  });
}

}  // namespace svc::emulator::batches
