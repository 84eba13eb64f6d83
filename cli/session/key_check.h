// Does the service take a key, and what does it say about it? Shared by `auth login` and `doctor`.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "catalogue/model.h"
#include "client/credentials.h"
#include "session/session.h"

namespace svc::cli {

/// What the service tells about a key that it takes.
struct KeyFacts {
  std::string name{};
  std::string team_id{};
};

/// The host that a key of that kind belongs to.
[[nodiscard]] Host host_of(KeyKind kind) noexcept;

/// The setting with the URL of that host: base_url or management_url.
[[nodiscard]] const SettingRow& url_setting_of(KeyKind kind);

/// The operation that tries a key: `GET /v1/api-key`, or `GET /auth/management-keys/validation`,
/// which is observed, not documented. Static storage.
[[nodiscard]] const Operation& key_check_operation(KeyKind kind);

/// Reads its response. Auth when the key or its team is blocked or the key is disabled; Network
/// when the response is not about a key.
[[nodiscard]] Result<KeyFacts> read_key_facts(KeyKind kind, std::string_view body);

/// Asks the configured host about `key`.
[[nodiscard]] Result<KeyFacts> try_key(Session& session, KeyKind kind, const std::string& key);

/// Asks the configured host without a key, so that a key is never typed for a URL that is not the
/// service's: it must refuse as the service does. Network when it is something else.
[[nodiscard]] Result<void> try_url(Session& session, KeyKind kind);

}  // namespace svc::cli
