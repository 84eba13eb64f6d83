// The account of this machine: what each answer cost, and nothing of what was asked or answered.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"

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

/// A line of JSON for each answer, in a file per month (UTC). Whoever writes one appends it whole
/// under a lock; a line that a power cut tore is skipped.
class Ledger {
 public:
  using Clock = std::function<std::int64_t()>;

  /// The files are called "PATH-2026-11.jsonl". Nothing is opened or made yet.
  explicit Ledger(std::string path, Clock clock = {});

  /// Books an entry; the file is private. What it adds to what was spent: nothing for what was
  /// booked already. Local when it cannot be written; then the files are as they were.
  [[nodiscard]] Result<std::int64_t> book(Entry entry, Booking booking);
  /// Several entries of now as Booking::New, at once.
  [[nodiscard]] Result<std::int64_t> book_new(std::vector<Entry> entries);

  /// Ticks that the profile has spent since the day began, in local time. Asked again it reads only
  /// what was added.
  [[nodiscard]] Result<std::int64_t> spent_today(std::string_view profile);

  /// Sums by what is asked for, days in order, everything else by cost.
  [[nodiscard]] Result<std::vector<UsageRow>> usage(const UsageQuery& query);

 private:
  struct Today {
    std::string profile{};
    std::int64_t begin = 0;
    std::int64_t spent = 0;
    std::map<std::string, std::uint64_t> read{};  ///< bytes by file
  };

  struct Keys {  ///< of what was booked, as far as it was read
    std::unordered_set<std::size_t> hashes{};
    std::map<std::string, std::uint64_t> read{};  ///< bytes by file
  };

  [[nodiscard]] std::string file_of(std::int64_t time) const;
  [[nodiscard]] std::vector<std::string> files(std::int64_t since, std::int64_t until) const;
  [[nodiscard]] Result<bool> knows(const std::string& key_text);
  [[nodiscard]] Result<std::optional<Entry>> booked(const Entry& entry);

  std::string m_path;
  Clock m_clock;
  Today m_today{};
  Keys m_keys{};
};

}  // namespace svc::history
