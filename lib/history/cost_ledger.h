// The cost records of this machine: the cost of each answer, but nothing of its content.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/files.h"
#include "base/result.h"

namespace svc::history {

struct Entry {
  std::int64_t time = 0;  ///< Unix seconds; 0: now
  std::string profile{};
  bool emulated = false;  ///< free of charge: the emulator invented the price
  std::string command{};  ///< "chat create"
  std::string model{};
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t cached_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  std::optional<std::int64_t> ticks{};  ///< nothing: the response contained no cost
  std::string request_id{};             ///< of the HTTP request
  std::string key{};                    ///< the ID of the answer or the job, if it has one
};

/// New: the answer belongs to this very request. Fetched: it may have been recorded before and is
/// then not recorded again; if a job has more tokens or a higher cost than at the last check, the
/// difference is recorded.
enum class RecordKind : std::uint8_t { New, Fetched };

enum class UsageBy : std::uint8_t { Day, Model, Command, Profile };

struct UsageQuery {
  UsageBy by = UsageBy::Day;
  std::optional<std::int64_t> since{};  ///< Unix seconds, inclusive
  std::optional<std::int64_t> until{};  ///< exclusive
  std::optional<std::string> profile{};
  bool emulated = false;  ///< the emulator's entries instead of billed ones
};

struct UsageRow {
  std::string name{};  ///< "2026-11-21" in local time, a model, a command, a profile
  std::int64_t answers = 0;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t cached_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  std::int64_t ticks = 0;
  std::int64_t unpriced = 0;  ///< answers without a cost
};

/// One JSON line per answer, in one file per month (UTC). Writers append complete lines under a
/// lock; an incomplete line left by a power cut is skipped.
class CostLedger {
 public:
  using Clock = std::function<std::int64_t()>;

  /// The files are named "PATH-2026-11.jsonl". Nothing is opened or created yet.
  explicit CostLedger(std::string path, Clock clock = {});

  /// Records an entry in a private file. Returns the cost it adds: nothing for what was already
  /// recorded. Local if it cannot be written; the files are then unchanged.
  [[nodiscard]] Result<std::int64_t> record(Entry entry, RecordKind kind);
  /// Records several entries with the current time as RecordKind::New in one operation.
  [[nodiscard]] Result<std::int64_t> record_all(std::vector<Entry> entries);

  /// Whether an entry can be recorded now. Local if not: the file cannot be opened, or the disk is
  /// full.
  [[nodiscard]] Result<void> check_writable();

  /// The ticks that the profile has spent since the start of the day, in local time. Later calls
  /// read only what was added since.
  [[nodiscard]] Result<std::int64_t> spent_today(std::string_view profile);

  /// Totals grouped as requested; days in order, everything else by cost.
  [[nodiscard]] Result<std::vector<UsageRow>> usage(const UsageQuery& query);

 private:
  struct Today {
    std::string profile{};
    std::int64_t begin = 0;
    std::int64_t spent = 0;
    std::map<std::string, std::uint64_t> read{};  ///< bytes by file
  };

  struct Keys {  ///< of recorded entries, as far as the files were read
    std::unordered_set<std::size_t> hashes{};
    std::map<std::string, std::uint64_t> read{};  ///< bytes by file
  };

  static constexpr std::int64_t k_max_time = std::numeric_limits<std::int64_t>::max();

  [[nodiscard]] std::string file_of(std::int64_t time) const;
  [[nodiscard]] std::vector<std::string> files(std::int64_t since = 0,
                                               std::int64_t until = k_max_time) const;
  [[nodiscard]] Result<bool> has_key(const std::string& key_text);
  [[nodiscard]] Result<std::optional<Entry>> recorded_total(const Entry& entry);

  std::string m_path;
  Clock m_clock;
  Today m_today{};
  Keys m_keys{};
};

/// What the requests in flight of all processes of this machine may cost today, by profile: one
/// line each in a private file. What a process reserved when it was killed stays reserved for the
/// day, as nobody knows what became of its requests.
class Reservations {
 public:
  /// The file is "PATH-reserved". `id` tells this object from others in all processes.
  Reservations(std::string path, std::string profile);
  Reservations(const Reservations&) = delete;
  Reservations& operator=(const Reservations&) = delete;
  /// Gives back what is not lost().
  ~Reservations();

  /// The reservations of others, and what this one lost(), while their file is locked.
  struct Others {
    FileLock lock;
    std::int64_t ticks = 0;
    bool in_flight = false;  ///< a living process has a request in flight
  };
  [[nodiscard]] Result<Others> look();

  /// Replaces this object's reservation. Local if it cannot be written.
  [[nodiscard]] Result<void> write(const Others& others, std::int64_t ticks, bool in_flight);
  /// The same, with a lock of its own; a failure leaves more reserved than necessary.
  void update(std::int64_t ticks, bool in_flight);

  /// Gives back part of what another object, whose process has ended, keeps reserved: it is known
  /// by now what became of that request. Local if it cannot be written.
  [[nodiscard]] Result<void> give_back(std::string_view id, std::int64_t ticks);

  /// Names this object's reservation to give_back(); without blanks.
  [[nodiscard]] const std::string& id() const noexcept { return m_id; }

  /// Adds the cost of a request whose answer was lost, which stays reserved today.
  void lost(std::int64_t ticks) { m_lost += ticks; }

 private:
  std::string m_path;
  std::string m_profile;
  std::string m_id;
  std::int64_t m_lost = 0;
  bool m_written = false;
};

}  // namespace svc::history
