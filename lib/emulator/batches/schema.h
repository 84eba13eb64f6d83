// The tables of the batches.
#pragma once

namespace svc::emulator::batches {

/// The counters of a batch change in the transaction that changes its requests: they are exact at
/// any moment, also after a kill. A request's state is `loading` (of a file that is not whole yet),
/// `pending`, `succeeded`, `failed` or `cancelled`; `finish_number` counts up in its batch.
inline constexpr const char* k_schema = R"sql(
CREATE TABLE IF NOT EXISTS batches (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, team_id TEXT NOT NULL,
  name TEXT NOT NULL, key_id TEXT NOT NULL, create_time INTEGER NOT NULL,
  expire_time INTEGER NOT NULL, cancel_time INTEGER, cancel_message TEXT,
  input_file_id TEXT, loading INTEGER NOT NULL, num_requests INTEGER NOT NULL,
  num_pending INTEGER NOT NULL, num_success INTEGER NOT NULL, num_error INTEGER NOT NULL,
  num_cancelled INTEGER NOT NULL, cost_ticks INTEGER NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS batches_team ON batches (team_id, seq);
CREATE INDEX IF NOT EXISTS batches_loading ON batches (seq) WHERE loading = 1;
CREATE TABLE IF NOT EXISTS batch_requests (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, batch INTEGER NOT NULL, id TEXT NOT NULL,
  kind TEXT NOT NULL, model TEXT NOT NULL, body TEXT NOT NULL, state TEXT NOT NULL,
  create_time INTEGER NOT NULL, finish_time INTEGER, due_ms INTEGER NOT NULL, job TEXT NOT NULL,
  finish_number INTEGER, result TEXT NOT NULL, UNIQUE (batch, id)) STRICT;
CREATE INDEX IF NOT EXISTS batch_requests_order ON batch_requests (batch, seq);
CREATE INDEX IF NOT EXISTS batch_requests_due ON batch_requests (due_ms) WHERE state = 'pending';
CREATE INDEX IF NOT EXISTS batch_requests_results ON batch_requests (batch, finish_number)
  WHERE finish_number IS NOT NULL;
)sql";

}  // namespace svc::emulator::batches
