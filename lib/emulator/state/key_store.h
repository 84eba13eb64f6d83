// API keys of teams, as database rows. The caller must hold the state's mutex.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "database/database.h"
#include "emulator/handler/handler.h"

namespace svc::emulator::keys {

/// Inference keys are for API calls, management keys for managing the team; they are not
/// interchangeable.
enum class Kind : std::uint8_t { Inference, Management };

/// Adds a key. Returns Unexpected if its ID or secret is taken.
[[nodiscard]] Result<void> insert_key(Database& database, const KeyRecord& key,
                                      std::string_view secret, Kind kind, std::int64_t now_ms);

/// Returns the key with that secret, including a rotated secret that is still valid at `now_ms`.
[[nodiscard]] Result<std::optional<KeyRecord>> find_by_secret(Database& database,
                                                              std::string_view secret, Kind kind,
                                                              std::int64_t now_ms);

/// Returns a team's inference key.
[[nodiscard]] Result<std::optional<KeyRecord>> find_by_id(Database& database,
                                                          std::string_view team_id,
                                                          std::string_view id);

/// Updates all columns of the key except its secret.
[[nodiscard]] Result<void> update_key(Database& database, const KeyRecord& key,
                                      std::int64_t now_ms);

/// Sets a new secret; the previous one remains valid until `old_valid_until_ms`.
[[nodiscard]] Result<void> replace_secret(Database& database, const KeyRecord& key,
                                          std::string_view secret, std::int64_t old_valid_until_ms,
                                          std::int64_t now_ms);

[[nodiscard]] Result<void> delete_key(Database& database, std::string_view id);

/// Which keys to list.
struct KeyQuery {
  std::string team_id{};
  std::string user_id{};            ///< empty: of all users
  std::vector<std::string> acls{};  ///< the key must have all of these
  std::optional<std::int64_t> unexpired_at{};
  std::int64_t after = 0;  ///< last position on the previous page
  std::int64_t limit = -1;
};

struct KeyPage {
  std::vector<KeyRecord> keys{};
  std::int64_t position = 0;  ///< of the last key
  bool more = false;
};

/// Lists keys in the order of creation.
[[nodiscard]] Result<KeyPage> list_keys(Database& database, const KeyQuery& query);

/// Returns when the key was created or last changed, in Unix milliseconds.
[[nodiscard]] Result<std::int64_t> changed_ms(Database& database, std::string_view id);

/// Counts a key creation of the team, or returns the milliseconds to wait first (the service
/// refuses several in quick succession, but allows one every 1.5 s).
[[nodiscard]] Result<std::int64_t> admit_creation(Database& database, std::string_view team_id,
                                                  std::int64_t now_ms);

}  // namespace svc::emulator::keys
