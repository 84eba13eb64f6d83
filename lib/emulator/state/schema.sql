-- The tables of all areas, created where they are missing whenever a state is opened.

-- Keys, stored responses and deferred answers.
CREATE TABLE IF NOT EXISTS keys (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, secret_hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
  redacted TEXT NOT NULL, team_id TEXT NOT NULL, user_id TEXT NOT NULL, modified_by TEXT NOT NULL,
  acls TEXT NOT NULL, create_time INTEGER NOT NULL, modify_time INTEGER NOT NULL,
  expire_time INTEGER, disabled INTEGER NOT NULL, blocked INTEGER NOT NULL,
  team_blocked INTEGER NOT NULL, qps INTEGER, qpm INTEGER, tpm INTEGER) STRICT;
CREATE TABLE IF NOT EXISTS responses (
  id TEXT PRIMARY KEY, team_id TEXT NOT NULL, created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL, body TEXT NOT NULL, input_items TEXT NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS responses_expiry ON responses (expires_at);
CREATE TABLE IF NOT EXISTS deferred (
  id TEXT PRIMARY KEY, team_id TEXT NOT NULL, ready_at_ms INTEGER NOT NULL,
  expires_at INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS deferred_expiry ON deferred (expires_at);
-- How often IDs were seeded, and how far an exported state's clock was ahead of the system's.
CREATE TABLE IF NOT EXISTS run_values (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
-- Files. The bytes of one are its chunks in the order of `seq`: most files have one, a chunked upload
-- has one per chunk.
CREATE TABLE IF NOT EXISTS files (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, team_id TEXT NOT NULL,
  filename TEXT NOT NULL, content_type TEXT NOT NULL, bytes INTEGER NOT NULL,
  created_at INTEGER NOT NULL, expires_at INTEGER, purpose TEXT NOT NULL,
  upload_status TEXT NOT NULL, hash TEXT NOT NULL, public_token TEXT NOT NULL,
  public_expires_at INTEGER) STRICT;
CREATE INDEX IF NOT EXISTS files_team ON files (team_id, seq);
CREATE INDEX IF NOT EXISTS files_expiry ON files (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS files_public ON files (public_token) WHERE public_token <> '';
CREATE TABLE IF NOT EXISTS file_chunks (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, file_id TEXT NOT NULL, data BLOB NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS file_chunks_order ON file_chunks (file_id, seq);
-- Batches. Their counters change in the same transaction as their requests, so they are always exact,
-- even after a kill. A request's state is `loading` (from a file that is not complete), `pending`,
-- `succeeded`, `failed` or `cancelled`; `finish_number` counts up within the batch.
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
-- Images and videos. A job's `result` is null until it is processed; `claimed_until_ms` prevents two
-- readers from processing it at the same time.
CREATE TABLE IF NOT EXISTS media (
  name TEXT PRIMARY KEY, content_type TEXT NOT NULL, created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS video_jobs (
  id TEXT PRIMARY KEY, team_id TEXT NOT NULL, created_ms INTEGER NOT NULL,
  ready_at_ms INTEGER NOT NULL, expires_at INTEGER NOT NULL, order_json TEXT NOT NULL,
  claimed_until_ms INTEGER NOT NULL DEFAULT 0, result TEXT) STRICT;
CREATE INDEX IF NOT EXISTS video_jobs_upload ON video_jobs (ready_at_ms)
  WHERE result IS NULL AND json_extract(order_json, '$.upload_url') <> '';
CREATE TABLE IF NOT EXISTS video_inputs (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, job_id TEXT NOT NULL, role TEXT NOT NULL,
  time_s REAL NOT NULL, data BLOB NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS video_inputs_job ON video_inputs (job_id, seq);
-- Key rotation, propagation, usage and creation rate.
CREATE TABLE IF NOT EXISTS old_secrets (
  secret_hash TEXT PRIMARY KEY, key_id TEXT NOT NULL, valid_until_ms INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS key_changes (
  key_id TEXT PRIMARY KEY, changed_ms INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS key_windows (
  key_id TEXT PRIMARY KEY, second INTEGER NOT NULL, minute INTEGER NOT NULL,
  calls_in_second INTEGER NOT NULL, calls_in_minute INTEGER NOT NULL,
  tokens_in_minute INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS key_creations (
  team_id TEXT PRIMARY KEY, due_ms INTEGER NOT NULL) STRICT;
-- Billing.
CREATE TABLE IF NOT EXISTS accounts (
  team_id TEXT PRIMARY KEY, opened_ms INTEGER NOT NULL, soft_limit_cents INTEGER,
  info TEXT NOT NULL, payment_method TEXT NOT NULL, prepaid_spent_ticks INTEGER NOT NULL,
  cycle_begin INTEGER NOT NULL, postpaid_ticks INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS usage_lines (
  team_id TEXT NOT NULL, hour_s INTEGER NOT NULL, description TEXT NOT NULL, unit TEXT NOT NULL,
  unit_ticks INTEGER NOT NULL, units INTEGER NOT NULL, prepaid_ticks INTEGER NOT NULL,
  PRIMARY KEY (team_id, hour_s, description, unit, unit_ticks)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS credit_changes (
  id INTEGER PRIMARY KEY, team_id TEXT NOT NULL, origin TEXT NOT NULL, cents INTEGER NOT NULL,
  created_ms INTEGER NOT NULL, declined INTEGER NOT NULL, payment_method TEXT NOT NULL) STRICT;
-- Limits that replace the service's own, by name; only for this process.
CREATE TEMP TABLE IF NOT EXISTS limits (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
-- Collections.
CREATE TABLE IF NOT EXISTS collections (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, team_id TEXT NOT NULL,
  name TEXT NOT NULL, description TEXT NOT NULL, model_name TEXT NOT NULL,
  metric_space TEXT NOT NULL, chunking TEXT NOT NULL, fields TEXT NOT NULL,
  created_ms INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS documents (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, collection_seq INTEGER NOT NULL, file_id TEXT NOT NULL,
  name TEXT NOT NULL, content_type TEXT NOT NULL, bytes INTEGER NOT NULL,
  file_created_s INTEGER NOT NULL, metadata TEXT NOT NULL, fields TEXT NOT NULL,
  begun_ms INTEGER NOT NULL, chunks INTEGER NOT NULL, error TEXT NOT NULL,
  UNIQUE (collection_seq, file_id)) STRICT;
CREATE TABLE IF NOT EXISTS chunks (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, document_seq INTEGER NOT NULL, id TEXT NOT NULL,
  page INTEGER NOT NULL, vector BLOB NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS chunks_document ON chunks (document_seq);
CREATE VIRTUAL TABLE IF NOT EXISTS chunk_words USING fts5(text, tokenize = 'porter unicode61');
-- Phone numbers, their webhooks, and simulated calls. A call's state is `ringing`, `active` (a realtime
-- session is, or was, attached), `transferred` or `ended`; `deliveries` is a JSON array with the
-- outcome of each webhook attempt.
CREATE TABLE IF NOT EXISTS phone_webhooks (
  id TEXT PRIMARY KEY, team_id TEXT NOT NULL, name TEXT NOT NULL, url TEXT NOT NULL,
  auth_url TEXT NOT NULL, auth_token TEXT NOT NULL, secret TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS phone_numbers (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, team_id TEXT NOT NULL,
  number TEXT NOT NULL UNIQUE, name TEXT NOT NULL, origin TEXT NOT NULL, agent_id TEXT NOT NULL,
  webhook_id TEXT NOT NULL, auth_username TEXT NOT NULL, auth_password TEXT NOT NULL,
  allowed_addresses TEXT NOT NULL, sms INTEGER NOT NULL, created_s INTEGER NOT NULL,
  updated_s INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS phone_calls (
  id TEXT PRIMARY KEY, team_id TEXT NOT NULL, number_id TEXT NOT NULL, caller TEXT NOT NULL,
  callee TEXT NOT NULL, state TEXT NOT NULL, created_ms INTEGER NOT NULL,
  target_uri TEXT NOT NULL, keys TEXT NOT NULL, audio BLOB NOT NULL, event_id TEXT NOT NULL,
  deliveries TEXT NOT NULL, settled INTEGER NOT NULL) STRICT;
-- Client secrets and resumable conversations.
CREATE TABLE IF NOT EXISTS client_secrets (
  value TEXT PRIMARY KEY, team_id TEXT NOT NULL, key_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL, session TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS conversations (
  id TEXT PRIMARY KEY, team_id TEXT NOT NULL, last_ms INTEGER NOT NULL,
  items TEXT NOT NULL) STRICT;
-- Prompts for prompt caching.
CREATE TABLE IF NOT EXISTS prompt_cache (
  team_id TEXT NOT NULL, cache_key TEXT NOT NULL, turns TEXT NOT NULL, expires_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, cache_key)) STRICT;
