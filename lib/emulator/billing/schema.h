// The tables of billing.
#pragma once

namespace svc::emulator::billing {

inline constexpr const char* k_schema = R"sql(
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
)sql";

}  // namespace svc::emulator::billing
