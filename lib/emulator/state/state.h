// The emulator's state in one SQLite file; areas have stores of their own for their tables.
#pragma once

#include <atomic>
#include <random>

#include "database/rows.h"
#include "emulator/control/control.h"

namespace svc::emulator::keys {

/// For API calls, or for managing the team; they are not interchangeable.
enum class Kind : std::uint8_t { Inference, Management };

/// Adds a key. Returns Unexpected if its ID or secret is taken.
[[nodiscard]] Result<void> insert_key(Database& database, const KeyRecord& key, sv secret,
                                      Kind kind, std::int64_t now_ms);

/// Returns the key with that secret, including a rotated secret that is still valid at `now_ms`.
[[nodiscard]] Result<std::optional<KeyRecord>> find_by_secret(Database& database, sv secret,
                                                              Kind kind, std::int64_t now_ms);

/// Returns a team's inference key.
[[nodiscard]] Result<std::optional<KeyRecord>> find_by_id(Database& database, sv team_id, sv id);

/// Updates all columns of the key except its secret.
[[nodiscard]] Result<void> update_key(Database& database, const KeyRecord& key,
                                      std::int64_t now_ms);

/// Sets a new secret; the previous one remains valid until `old_valid_until_ms`.
[[nodiscard]] Result<void> replace_secret(Database& database, const KeyRecord& key, sv secret,
                                          std::int64_t old_valid_until_ms, std::int64_t now_ms);

[[nodiscard]] Result<void> delete_key(Database& database, sv id);

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
[[nodiscard]] Result<std::int64_t> changed_ms(Database& database, sv id);

/// Counts a key creation, or returns the milliseconds to wait first: one every 1.5 s after several.
[[nodiscard]] Result<std::int64_t> admit_creation(Database& database, sv team_id,
                                                  std::int64_t now_ms);

}  // namespace svc::emulator::keys

namespace svc::emulator::text {

// Opaque values that only the emulator reads again. A page token contains the position to continue
// at, so that pages neither repeat nor skip items while others are added or removed.

/// Encodes `content` as opaque text, without encryption: an emulator has no secrets.
[[nodiscard]] std::string seal(sv kind, sv content);

/// Decodes text sealed with that kind; nothing for any other text.
[[nodiscard]] std::optional<std::string> unseal(sv kind, sv sealed);

}  // namespace svc::emulator::text

namespace svc::emulator {
/// `kind` identifies the list and its order: the token is valid only with the same kind.
[[nodiscard]] std::string make_page_token(sv kind, const std::vector<std::string>& values);

/// Returns the `count` values passed to make_page_token(); nothing for any other text.
[[nodiscard]] std::optional<std::vector<std::string>> read_page_token(sv kind, sv token,
                                                                      std::size_t count);

/// Returns the integer that is a token's only value.
[[nodiscard]] std::optional<std::int64_t> read_page_number(sv kind, sv token);

/// What every state contains from its creation. It is public: an emulator protects nothing.
inline constexpr sv k_demo_key = "svc-demo-key";
inline constexpr sv k_demo_management_key = "svc-demo-management-key";
inline constexpr sv k_demo_team_id = "00000000-0000-4000-8000-0000000000aa";
inline constexpr sv k_demo_user_id = "00000000-0000-4000-8000-0000000000bb";
/// The management key of an ordinary team member; the one above is an admin's.
inline constexpr sv k_demo_member_key = "svc-demo-member-management-key";
inline constexpr sv k_demo_member_id = "00000000-0000-4000-8000-0000000000cc";
inline constexpr std::int64_t k_max_amount = 100'000'000;  ///< of a limit, and of cents

/// A response created with `store`.
struct StoredResponse {
  std::string id;
  std::string team_id;
  std::int64_t created_at = 0;  ///< Unix seconds
  std::string body{};           ///< the complete response object, as JSON text
  std::string input_items{};    ///< its input items, a JSON array as text
  std::int64_t expires_at = 0;  ///< set when it is stored: 30 days later
};

/// A chat answer or images to be fetched later.
struct DeferredJob {
  std::string id;
  std::string team_id;
  std::int64_t ready_at_ms = 0;  ///< Unix milliseconds; it expires 24 hours after its creation
  std::string body{};            ///< the complete response, as JSON text
};

struct DeferredFetch {
  enum class Status : std::uint8_t { Unknown, Pending, Ready };
  Status status = Status::Unknown;
  std::string body{};  ///< only if Ready
};

/// A limit of the service that tests can change.
struct Limit {
  sv name;
  std::int64_t value = 0;
};

/// Returns the limits with the service's values: `realtime_sessions`, which a team may have at a
/// time, and `credit_cents`, which a new team gets.
[[nodiscard]] std::span<const Limit> default_limits();

/// Returns the current value of one of them.
[[nodiscard]] Result<std::int64_t> limit_of(Database& database, sv name);

/// Returns Unix milliseconds.
using StateClock = std::function<std::int64_t()>;

/// Safe for several threads and processes. Every row is visible only to its team.
class State : public std::enable_shared_from_this<State> {
 public:
  /// Opens or creates the state at `path` (0600); ":memory:" keeps it in memory. Returns Local,
  /// with a hint, if the file is not a state of this emulator. The clock starts at `clock_s`.
  [[nodiscard]] static Result<std::unique_ptr<State>> open(
      const std::string& path, StateClock clock = {}, std::optional<std::int64_t> clock_s = {});

  /// Returns the key with that secret, also a rotated one that is still valid.
  [[nodiscard]] Result<std::optional<KeyRecord>> find_key(sv secret,
                                                          keys::Kind kind = keys::Kind::Inference) {
    const std::lock_guard lock(m_mutex);
    return keys::find_by_secret(m_database, secret, kind, now_ms());
  }

  /// Adds an inference key. Returns Unexpected if its ID or secret is taken.
  [[nodiscard]] Result<void> add_key(const KeyRecord& key, sv secret) {
    const std::lock_guard lock(m_mutex);
    return keys::insert_key(m_database, key, secret, keys::Kind::Inference, now_ms());
  }

  [[nodiscard]] Result<void> store_response(StoredResponse response);
  [[nodiscard]] Result<std::optional<StoredResponse>> find_response(sv team_id, sv id);
  /// Returns false if there was none.
  [[nodiscard]] Result<bool> delete_response(sv team_id, sv id);

  [[nodiscard]] Result<void> add_deferred(const DeferredJob& job);
  /// Returns Ready at most once per job, whoever asks; with `keep`, until it expires.
  [[nodiscard]] Result<DeferredFetch> fetch_deferred(sv team_id, sv id, bool keep = false);

  /// Runs `work(Database&)` with exclusive access; it must not call the state.
  template <typename Work>
  auto with(Work&& work) {
    const std::lock_guard lock(m_mutex);
    return std::forward<Work>(work)(m_database);
  }

  /// Like with(), inside a transaction that is committed unless `work` returns an error.
  template <typename Work>
  auto change(Work&& work) -> decltype(work(std::declval<Database&>())) {
    const std::lock_guard lock(m_mutex);
    SVC_TRY(transaction, Transaction::begin(m_database));
    auto outcome = std::forward<Work>(work)(m_database);
    if (outcome) SVC_CHECK(transaction.commit());
    return outcome;
  }

  /// Deletes everything except the demo keys, in every area. The clock restarts at `clock_s`.
  [[nodiscard]] Result<void> reset(std::optional<std::int64_t> clock_s = {});

  /// Sets limits until reset(): none of them but Usage if one is unknown or out of range.
  [[nodiscard]] Result<void> set_limits(
      const std::vector<std::pair<std::string, std::int64_t>>& limits);

  /// The rules of POST /_emulator/answers, in memory: each process has its own.
  [[nodiscard]] AnswerRuleSet& answers() { return m_answers; }

  /// Unix milliseconds, from this state's clock.
  [[nodiscard]] std::int64_t now_ms() const { return m_clock() + m_ahead_ms.load(); }
  /// Moves the clock forward. reset() undoes it.
  void advance(std::chrono::milliseconds time) { m_ahead_ms += time.count(); }
  /// Sets the clock, which then goes on from there.
  void set_time(std::int64_t time_ms) { m_ahead_ms = time_ms - m_clock(); }

  /// Starts the sequence of IDs from new_uuid() with this seed, unset: random ones. A state that is
  /// seeded again without a reset() gets another sequence, so that no ID comes twice.
  [[nodiscard]] Result<void> seed_ids(std::optional<std::uint64_t> seed);
  /// Returns a 36-character version 4 UUID, random unless a seed was set.
  [[nodiscard]] std::string new_uuid();

  /// Writes everything, except rules, to a new file: a database that load() reads. The clock is
  /// stored as its lead over the system's.
  [[nodiscard]] Result<void> save(const std::string& path);
  /// Replaces everything by the content of such a file. Usage if it is none of this version.
  [[nodiscard]] Result<void> load(const std::string& path);

  /// Notes that a client is using this state.
  void touch() { m_touched_ms = steady_ms(); }
  /// Returns the time since then.
  [[nodiscard]] std::chrono::milliseconds idle_time() const {
    return std::chrono::milliseconds(steady_ms() - m_touched_ms.load());
  }

 private:
  State(Database database, StateClock clock)
      : m_database(std::move(database)), m_clock(std::move(clock)) {}
  [[nodiscard]] Result<void> prepare_file(const std::string& path);
  [[nodiscard]] Result<void> create_schema();
  [[nodiscard]] Result<void> drop_expired();
  [[nodiscard]] Result<std::vector<std::string>> tables();
  [[nodiscard]] static std::int64_t steady_ms() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  }

  std::atomic<std::int64_t> m_ahead_ms{0};
  std::atomic<std::int64_t> m_touched_ms{steady_ms()};
  std::mutex m_ids_mutex{};  ///< protects the next two
  std::optional<std::uint64_t> m_seed{};
  std::optional<std::mt19937_64> m_seeded_ids{};
  std::mutex m_mutex{};  ///< protects m_database
  Database m_database;
  StateClock m_clock;
  AnswerRuleSet m_answers{};
};

}  // namespace svc::emulator
