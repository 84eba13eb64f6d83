// The account of this machine: what each answer cost, and nothing of what was asked or answered.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "database/database.h"
#include "history/ledger_intake.h"

namespace svc::history {

struct Entry {
  std::int64_t time = 0;  ///< Unix seconds; 0: now
  std::string profile{};
  bool emulated = false;  ///< no money: the emulator made the price up
  std::string command{};  ///< "chat create"
  std::string model{};
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t cached_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  std::optional<std::int64_t> ticks{};  ///< nothing: the answer named no price
  std::string request_id{};             ///< of the HTTP exchange
  std::string key{};                    ///< the id of the answer or the job, where it has one
};

/// New: the answer was made for this very request. Fetched: it may have been booked before, and
/// then counts once; a job that has more tokens or costs more than when it was last looked at
/// counts with the difference.
enum class Booking : std::uint8_t { New, Fetched };

enum class UsageBy : std::uint8_t { Day, Model, Command, Profile };

struct UsageQuery {
  UsageBy by = UsageBy::Day;
  std::optional<std::int64_t> since{};  ///< Unix seconds, included
  std::optional<std::int64_t> until{};  ///< excluded
  std::optional<std::string> profile{};
  bool emulated = false;  ///< the emulator's entries instead of those that cost money
};

struct UsageRow {
  std::string name{};  ///< "2026-11-21" in local time, a model, a command, a profile
  std::int64_t answers = 0;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t cached_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  std::int64_t ticks = 0;
  std::int64_t unpriced = 0;  ///< answers that named no price
};

class Ledger {
 public:
  using Clock = std::function<std::int64_t()>;

  /// Opens or creates the file (0600), and takes in what was noted. Local as open_file().
  [[nodiscard]] static Result<Ledger> open(const std::string& path, Clock clock = {});

  /// Books an entry as Booking::New without opening the database at `path`: whoever opens it next
  /// finds it there. What it adds to what was spent. Local when it cannot be written.
  [[nodiscard]] static Result<std::int64_t> note(const std::string& path, Entry entry,
                                                 const Clock& clock = {});

  /// Whether anything was ever booked at `path`.
  [[nodiscard]] static bool exists(const std::string& path);

  /// Books an entry. What it adds to what was spent: nothing for what was booked already.
  [[nodiscard]] Result<std::int64_t> book(const Entry& entry, Booking booking);

  /// Ticks that the profile has spent since the day began, in local time.
  [[nodiscard]] Result<std::int64_t> spent_today(std::string_view profile);

  /// Sums by what is asked for, days in order, everything else by cost.
  [[nodiscard]] Result<std::vector<UsageRow>> usage(const UsageQuery& query);

 private:
  Ledger(Database database, LedgerIntake intake, Clock clock)
      : m_database(std::move(database)), m_intake(std::move(intake)), m_clock(std::move(clock)) {}
  [[nodiscard]] Result<void> take_in(std::chrono::milliseconds patience);
  /// The same where nobody waits: not while another process is at it.
  static void take_in_at_once(const std::string& path);
  [[nodiscard]] Result<void> insert(const Entry& entry);

  Database m_database;
  LedgerIntake m_intake;
  Clock m_clock;
};

}  // namespace svc::history
