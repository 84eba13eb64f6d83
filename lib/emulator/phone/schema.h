// The tables of phone numbers, their webhooks, and simulated calls.
#pragma once

namespace svc::emulator::phone {

/// A call's state is `ringing`, `active` (a realtime session is, or was, attached), `transferred`
/// or `ended`; `deliveries` is a JSON array of what became of each attempt at its webhook.
inline constexpr const char* k_schema = R"sql(
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
)sql";

}  // namespace svc::emulator::phone
