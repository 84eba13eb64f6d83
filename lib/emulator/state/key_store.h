// The keys of teams, as rows: the state's mutex is held by whoever calls.
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

/// Inference keys make calls, management keys manage the team; neither can do the other's work.
enum class Kind : std::uint8_t { Inference, Management };

/// Adds a key. Unexpected when its id or secret is taken.
[[nodiscard]] Result<void> insert_key(Database& database, const KeyRecord& key,
                                      std::string_view secret, Kind kind, std::int64_t now_ms);

/// The key with that secret, or with one that was rotated away and is still valid at `now_ms`.
[[nodiscard]] Result<std::optional<KeyRecord>> find_by_secret(Database& database,
                                                              std::string_view secret, Kind kind,
                                                              std::int64_t now_ms);

/// A team's inference key.
[[nodiscard]] Result<std::optional<KeyRecord>> find_by_id(Database& database,
                                                          std::string_view team_id,
                                                          std::string_view id);

/// Writes everything of the key but its secret.
[[nodiscard]] Result<void> update_key(Database& database, const KeyRecord& key,
                                      std::int64_t now_ms);

/// Gives the key a new secret; the one before stays valid until `old_valid_until_ms`.
[[nodiscard]] Result<void> replace_secret(Database& database, const KeyRecord& key,
                                          std::string_view secret, std::int64_t old_valid_until_ms,
                                          std::int64_t now_ms);

[[nodiscard]] Result<void> delete_key(Database& database, std::string_view id);

/// Which keys a listing shows.
struct KeyQuery {
  std::string team_id{};
  std::string user_id{};            ///< empty: of all users
  std::vector<std::string> acls{};  ///< the key has all of these
  std::optional<std::int64_t> unexpired_at{};
  std::int64_t after = 0;  ///< the position that the page before ended with
  std::int64_t limit = -1;
};

struct KeyPage {
  std::vector<KeyRecord> keys{};
  std::int64_t position = 0;  ///< of the last key
  bool more = false;
};

/// In the order of creation.
[[nodiscard]] Result<KeyPage> list_keys(Database& database, const KeyQuery& query);

/// When the key was made or last changed, Unix milliseconds.
[[nodiscard]] Result<std::int64_t> changed_ms(Database& database, std::string_view id);

/// Counts a creation by the team, or says how many milliseconds to wait first (the service refuses
/// many in a row, but not one in 1.5 s).
[[nodiscard]] Result<std::int64_t> admit_creation(Database& database, std::string_view team_id,
                                                  std::int64_t now_ms);

}  // namespace svc::emulator::keys
