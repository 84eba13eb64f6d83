// The tables of images and videos.
#pragma once

namespace svc::emulator::media {

/// A job's `result` is null until it is worked off; `claimed_until_ms` keeps two readers from doing
/// so at once.
inline constexpr const char* k_schema = R"sql(
CREATE TABLE IF NOT EXISTS media (
  name TEXT PRIMARY KEY, content_type TEXT NOT NULL, created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS image_jobs (
  id TEXT PRIMARY KEY, team_id TEXT NOT NULL, ready_at_ms INTEGER NOT NULL,
  expires_at INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
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
)sql";

}  // namespace svc::emulator::media
