// The persistent state of a bulk run: which requests exist, where each one was sent, and its
// result. A killed run resumes from here, so every step is recorded before it starts (what may have
// been sent) and after it is complete (what definitely happened).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel_token.h"
#include "base/result.h"
#include "batch/result_item.h"
#include "database/database.h"

namespace svc::batch {

/// The position of an item's text, and its ID.
struct ItemLocation {
  std::int64_t ordinal = 0;  ///< from 1, in the order of the input
  std::uint64_t line = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t hash = 0;
  std::string id{};
};

/// A range of checked input lines. Items are created from them shortly before they are sent, so
/// that checking a large file takes no longer than reading it.
struct LineRange {
  std::int64_t ordinal = 0;  ///< of its first line
  std::int64_t lines = 0;    ///< non-blank lines
  std::int64_t items = 0;    ///< of this shard, without skipped ones
  std::uint64_t offset = 0;
  std::uint64_t line = 0;
  std::uint64_t hash = 0;
};

enum class BatchStage : std::uint8_t {
  Creating,  ///< the request that creates it was or will be sent; it may exist
  Open,      ///< exists; more requests may be added
  Closed,    ///< contains all of its requests
  Collected  ///< every result has been stored
};

/// A batch on the service.
struct JournalBatch {
  std::int64_t number = 0;  ///< from 1
  std::string name{};       ///< unique; identifies the batch after an interruption
  std::string remote_id{};
  std::string file_id{};
  BatchStage stage = BatchStage::Creating;
  std::int64_t assigned = 0;  ///< number of items in the batch
  std::int64_t cost_ticks = 0;
  std::string token{};  ///< of the results page to continue with
  std::int64_t created_at = 0;
};

struct Totals {
  std::int64_t items = 0;
  std::int64_t assigned = 0;  ///< sent, or about to be sent
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::int64_t canceled = 0;
  std::int64_t unknown = 0;
  std::int64_t cost_ticks = 0;  ///< the greater of the costs reported by batches and results

  [[nodiscard]] std::int64_t& of(Outcome outcome) noexcept {
    std::int64_t* const counts[] = {&succeeded, &failed, &canceled, &unknown};
    return *counts[static_cast<std::size_t>(outcome)];
  }
  [[nodiscard]] std::int64_t done() const noexcept {
    return succeeded + failed + canceled + unknown;
  }
  [[nodiscard]] std::int64_t unsuccessful() const noexcept { return failed + canceled + unknown; }
};

/// An item with its result, for the results file. `json` is empty if there is none.
struct Finished {
  ItemLocation location{};
  Outcome outcome = Outcome::Unknown;
  std::string reason{};
  std::string json{};
  std::int64_t sequence = 0;  ///< position in order of arrival
  std::string saved{};        ///< the files of its media, separated by spaces; set by the program
};

/// The format that this program writes, stored as the fact "format".
inline constexpr std::int64_t k_journal_format = 3;

class Journal {
 public:
  /// Opens or creates the journal (0600) and locks it for this process. Waits up to two seconds
  /// while another process has the lock, because a killed process releases it only after a moment;
  /// then Local. A journal of an older format is migrated; one of a newer format is Local. The
  /// cancel token's error if canceled.
  [[nodiscard]] static Result<Journal> open(const std::string& path,
                                            const CancelToken& cancel = NeverCanceled());

  // Facts about the whole run.
  [[nodiscard]] Result<std::optional<std::string>> fact(std::string_view name);
  [[nodiscard]] Result<void> set_fact(std::string_view name, std::string_view value);
  [[nodiscard]] Result<Transaction> begin() { return Transaction::begin(m_database); }
  /// Whether commits wait for the disk (default: true). A commit that does not wait survives any
  /// exit of the program, but survives a power cut only after a later commit that waits.
  [[nodiscard]] Result<void> set_synchronous(bool waits);

  /// Replaces the hash of each item by that of `hash`. Call between begin() and commit().
  [[nodiscard]] Result<void> rehash(
      const std::function<Result<std::uint64_t>(const ItemLocation&)>& hash);

  /// Deletes everything but the format. Call between begin() and commit().
  [[nodiscard]] Result<void> clear();

  // Checking. Call between begin() and commit().
  [[nodiscard]] Result<void> add_range(const LineRange& range);
  /// Excludes an item of a range because its ID is a duplicate.
  [[nodiscard]] Result<void> exclude(std::int64_t ordinal);

  // Sending.
  // The first range whose items have not been created yet.
  [[nodiscard]] Result<std::optional<LineRange>> next_range();
  /// Replaces the range with its items, except excluded ones; all or nothing.
  [[nodiscard]] Result<void> fill(const LineRange& range, const std::vector<ItemLocation>& items);
  /// Fills the next range; returns false if there is none.
  using Fill = std::function<Result<bool>()>;
  void set_fill_callback(Fill fill) { m_fill = std::move(fill); }
  /// The next item after `ordinal` that is not assigned to a part.
  [[nodiscard]] Result<std::optional<ItemLocation>> next_unassigned(std::int64_t after);
  [[nodiscard]] Result<std::int64_t> count_unassigned();
  [[nodiscard]] Result<std::vector<JournalBatch>> batches();
  [[nodiscard]] Result<JournalBatch> add_batch(JournalBatch batch);
  [[nodiscard]] Result<void> save_batch(const JournalBatch& batch);
  /// Assigns the items to a new part of the batch (the items sent with one API call), which is
  /// about to be sent; returns the part's number.
  [[nodiscard]] Result<std::int64_t> begin_part(std::int64_t batch,
                                                const std::vector<std::int64_t>& ordinals);
  /// Does the same within a transaction of the caller.
  [[nodiscard]] Result<std::int64_t> add_part(std::int64_t batch,
                                              const std::vector<std::int64_t>& ordinals);
  /// Adds to what an item that is sent may cost, in ticks; negative: gives back.
  [[nodiscard]] Result<void> reserve(std::int64_t ordinal, std::int64_t ticks);
  /// What is reserved for all items: while none is in flight, what lost answers may have cost, also
  /// of requests that are to be sent again.
  [[nodiscard]] Result<std::int64_t> reserved() {
    return m_database.number(
        "SELECT coalesce(sum(coalesce(reserved, 0) + coalesce(lost, 0)), 0) FROM items");
  }
  /// The items that were sent without a reservation, and how often their answers were lost.
  [[nodiscard]] Result<std::vector<std::pair<ItemLocation, std::int64_t>>> unreserved();
  /// Records that the part is definitely in its batch.
  [[nodiscard]] Result<void> confirm_part(std::int64_t part);
  /// Batches with parts whose call may or may not have run.
  [[nodiscard]] Result<std::vector<std::int64_t>> batches_in_doubt();
  /// Settles the parts in doubt of a batch: items passed to mark_present() stay, the others are
  /// unassigned. settle() returns the number of items that stayed.
  [[nodiscard]] Result<void> clear_present();
  [[nodiscard]] Result<void> mark_present(std::string_view id);
  [[nodiscard]] Result<std::int64_t> settle(std::int64_t batch);
  /// Records that all parts of the batch are definitely in it.
  [[nodiscard]] Result<void> confirm_batch(std::int64_t batch);
  /// Deletes a batch that was never created and unassigns its items.
  [[nodiscard]] Result<void> drop_batch(std::int64_t batch);
  /// Unassigns an item that was not sent after all.
  [[nodiscard]] Result<void> unassign(std::int64_t ordinal);
  /// Records an item that the service rejected as failed.
  [[nodiscard]] Result<void> reject_item(std::int64_t ordinal, std::string_view reason,
                                         std::int64_t batch);

  // Collecting.
  // Stores a result of the batch; returns false if the item already has one or is not in this
  // batch.
  [[nodiscard]] Result<bool> add_result(std::int64_t batch, const ResultItem& item,
                                        std::string_view json);
  /// Adds token counts of the batch's results. They remain when a request is resent, because they
  /// were billed.
  [[nodiscard]] Result<void> add_tokens(std::int64_t batch, const Usage& usage);
  /// The token counts added so far, without a cost.
  [[nodiscard]] Result<Usage> tokens(std::int64_t batch);
  /// Whether an item with this ID exists.
  [[nodiscard]] Result<bool> has_item(std::string_view id);
  /// Assigns all unassigned items up to `ordinal` to a part of the batch.
  [[nodiscard]] Result<void> assign_up_to(std::int64_t ordinal, std::int64_t batch);
  /// The number of items of the batch without a result.
  [[nodiscard]] Result<std::int64_t> count_missing(std::int64_t batch);
  /// Passes the items of the batch with their outcomes and results, "" for none.
  using ResultSink = std::function<void(std::int64_t ordinal, Outcome, std::string_view json)>;
  [[nodiscard]] Result<void> for_each_of(std::int64_t batch, const ResultSink& sink);
  /// Unassigns the items of the batch without a result.
  [[nodiscard]] Result<void> unassign_missing(std::int64_t batch);
  /// Sets this outcome for the items of the batch without a result.
  [[nodiscard]] Result<void> set_missing_outcome(std::int64_t batch, Outcome outcome,
                                                 std::string_view reason);

  // Totals and results of the run.
  [[nodiscard]] Result<Totals> totals();
  /// The highest cost of a result, in ticks.
  [[nodiscard]] Result<std::int64_t> dearest() {
    return m_database.number("SELECT coalesce(max(cost), 0) FROM items");
  }
  /// The number of occurrences of each reason, the most frequent first.
  [[nodiscard]] Result<std::vector<std::pair<std::string, std::int64_t>>> reasons();
  using FinishedSink = std::function<Result<void>(const Finished&)>;
  /// Passes items from `ordinal` on in input order, up to the first without a result, or without
  /// those that have none.
  [[nodiscard]] Result<void> for_each_in_order(std::int64_t from, const FinishedSink& sink,
                                               bool skips_gaps = false);
  /// Passes results after `sequence` in order of arrival.
  [[nodiscard]] Result<void> for_each_by_arrival(std::int64_t after, const FinishedSink& sink);
  /// Unassigns items that failed or were canceled, so that they are resent; returns how many.
  [[nodiscard]] Result<std::int64_t> reopen(bool failed, bool canceled);

 private:
  explicit Journal(Database database) : m_database(std::move(database)) {}
  [[nodiscard]] Result<Statement*> statement(const char* sql);
  [[nodiscard]] Result<void> read_finished(Statement& row, std::int64_t from,
                                           const FinishedSink& sink, bool skips_gaps);

  Database m_database;
  std::map<const char*, Statement> m_statements{};
  Fill m_fill{};
};

}  // namespace svc::batch
