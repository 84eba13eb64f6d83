// The tables of the file store.
#pragma once

namespace svc::emulator::files {

/// A file's bytes are its chunks in the order of `seq`: most files have one, an upload in chunks
/// has one for each.
inline constexpr const char* k_schema = R"sql(
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
)sql";

}  // namespace svc::emulator::files
