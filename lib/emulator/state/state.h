// What the emulator remembers, in one SQLite file: keys, stored responses and deferred results
// here; what an area keeps beside it has its tables in state.cpp and its own store.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "database/database.h"
#include "emulator/control/answers.h"
#include "emulator/handler/handler.h"

namespace svc::emulator {

/// The key and team that every state holds from its creation on. They are public: an emulator
/// guards nothing.
inline constexpr std::string_view k_demo_key = "svc-demo-key";
inline constexpr std::string_view k_demo_management_key = "svc-demo-management-key";
inline constexpr std::string_view k_demo_team_id = "00000000-0000-4000-8000-0000000000aa";
inline constexpr std::string_view k_demo_user_id = "00000000-0000-4000-8000-0000000000bb";
/// The management key of a plain member of the team; the one above is an admin's.
inline constexpr std::string_view k_demo_member_key = "svc-demo-member-management-key";
inline constexpr std::string_view k_demo_member_id = "00000000-0000-4000-8000-0000000000cc";

/// A response that was made with `store`.
struct StoredResponse {
  std::string id;
  std::string team_id;
  std::int64_t created_at = 0;  ///< Unix seconds; it expires 30 days later
  std::string body{};           ///< the response object, whole, as JSON text
  std::string input_items{};    ///< its input items, a JSON array as text
};

/// A chat answer that is fetched later.
struct DeferredJob {
  std::string id;
  std::string team_id;
  std::int64_t ready_at_ms = 0;  ///< Unix milliseconds; it expires 24 hours after its creation
  std::string body{};            ///< the chat response, whole, as JSON text
};

struct DeferredFetch {
  enum class Status : std::uint8_t { Unknown, Pending, Ready };
  Status status = Status::Unknown;
  std::string body{};  ///< only when Ready
};

/// Gives Unix milliseconds.
using StateClock = std::function<std::int64_t()>;

/// Safe for several threads, and for several processes on one file. Every row belongs to a team,
/// and is found by that team only.
class State {
 public:
  /// Opens or creates the state at `path`; missing folders are made 0700, the file 0600. ":memory:"
  /// keeps it in memory. Local, with what to do, when the file is no state of this emulator.
  [[nodiscard]] static Result<std::unique_ptr<State>> open(const std::string& path,
                                                           StateClock clock = {});

  /// The inference key with that secret, or with one that was rotated away and is still valid,
  /// whatever its condition; nothing when there is none.
  [[nodiscard]] Result<std::optional<KeyRecord>> find_key(std::string_view secret);

  /// The same for management keys.
  [[nodiscard]] Result<std::optional<KeyRecord>> find_management_key(std::string_view secret);

  /// Adds an inference key. Unexpected when its id or secret is taken.
  [[nodiscard]] Result<void> add_key(const KeyRecord& key, std::string_view secret);

  [[nodiscard]] Result<void> store_response(const StoredResponse& response);
  [[nodiscard]] Result<std::optional<StoredResponse>> find_response(std::string_view team_id,
                                                                    std::string_view id);
  /// False when there was none.
  [[nodiscard]] Result<bool> delete_response(std::string_view team_id, std::string_view id);

  [[nodiscard]] Result<void> add_deferred(const DeferredJob& job);
  /// Ready at most once per job, however many threads and processes ask.
  [[nodiscard]] Result<DeferredFetch> fetch_deferred(std::string_view team_id, std::string_view id);

  /// Runs `work(Database&)` alone, and gives its result: the way of an area's store to its tables.
  /// `work` must not call the state again.
  template <typename Work>
  auto with(Work&& work) {
    const std::lock_guard lock(m_mutex);
    return std::forward<Work>(work)(m_database);
  }

  /// with() inside a transaction, which is committed when `work` gives no error.
  template <typename Work>
  auto change(Work&& work) -> decltype(work(std::declval<Database&>())) {
    const std::lock_guard lock(m_mutex);
    SVC_TRY(transaction, Transaction::begin(m_database));
    auto outcome = std::forward<Work>(work)(m_database);
    if (outcome) SVC_CHECK(transaction.commit());
    return outcome;
  }

  /// Forgets everything but the demo keys, in every area.
  [[nodiscard]] Result<void> reset();

  /// The rules of POST /_emulator/answers. They are kept in memory: other processes on the same
  /// file have their own.
  [[nodiscard]] AnswerBook& answers() { return m_answers; }

  /// Unix milliseconds, by the clock of this state.
  [[nodiscard]] std::int64_t now_ms() const { return m_clock(); }

 private:
  State(Database database, StateClock clock)
      : m_database(std::move(database)), m_clock(std::move(clock)) {}
  [[nodiscard]] Result<void> prepare_file(const std::string& path);
  [[nodiscard]] Result<void> create_schema();
  [[nodiscard]] Result<void> drop_expired();

  std::mutex m_mutex{};  ///< over m_database
  Database m_database;
  StateClock m_clock;
  AnswerBook m_answers{};
};

}  // namespace svc::emulator
