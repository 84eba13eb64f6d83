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

/// The operation that tries a key: `GET /v1/api-key`, or the validation of management
/// keys. Static storage.
[[nodiscard]] const Operation& key_check_operation(KeyKind kind);

/// Reads its answer. Auth when the key or its team is blocked or the key is disabled; Network when
/// the answer is not about a key.
[[nodiscard]] Result<KeyFacts> read_key_facts(KeyKind kind, std::string_view body);

/// Asks the configured host about `key`.
[[nodiscard]] Result<KeyFacts> try_key(Session& session, KeyKind kind, const std::string& key);

}  // namespace svc::cli
