// The tables of rotation, propagation, use and the pace of creations, beside the table of keys.
#pragma once

namespace svc::emulator::keys {

inline constexpr const char* k_schema = R"sql(
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
)sql";

}  // namespace svc::emulator::keys
