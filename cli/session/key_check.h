// Checks an API key with the service. Used by `auth login` and `doctor`.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "catalogue/model.h"
#include "client/credentials.h"
#include "session/session.h"

namespace svc::cli {

/// The service's metadata about a valid key.
struct KeyFacts {
  std::string name{};
  std::string team_id{};
};

/// The host for a kind of key.
[[nodiscard]] Host host_of(KeyKind kind) noexcept;

/// The setting with the URL of that host: base_url or management_url.
[[nodiscard]] const SettingRow& url_setting_of(KeyKind kind);

/// The operation that checks a key: `GET /v1/api-key`, or the undocumented `GET
/// /auth/management-keys/validation`. Static storage.
[[nodiscard]] const Operation& key_check_operation(KeyKind kind);

/// Parses its response. Fails with Fault::Auth if the key is disabled or blocked or its team is
/// blocked, Fault::Network if the response is not about a key.
[[nodiscard]] Result<KeyFacts> read_key_facts(KeyKind kind, std::string_view body);

/// Checks `key` with the configured host.
[[nodiscard]] Result<KeyFacts> try_key(Session& session, KeyKind kind, const std::string& key);

/// Sends the request without a key, to make sure that a key is only entered for the service's URL:
/// it must be refused as the service refuses it. Fails with Fault::Network otherwise.
[[nodiscard]] Result<void> try_url(Session& session, KeyKind kind);

}  // namespace svc::cli
