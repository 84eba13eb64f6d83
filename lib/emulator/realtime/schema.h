// The tables of client secrets and of conversations that can be resumed.
#pragma once

namespace svc::emulator::realtime {

inline constexpr const char* k_schema = R"sql(
CREATE TABLE IF NOT EXISTS client_secrets (
  value TEXT PRIMARY KEY, team_id TEXT NOT NULL, key_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL, session TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS conversations (
  id TEXT PRIMARY KEY, team_id TEXT NOT NULL, last_ms INTEGER NOT NULL,
  items TEXT NOT NULL) STRICT;
)sql";

}  // namespace svc::emulator::realtime
