// What a bulk run knows, on disk: which requests there are, where each one went, what came back. A
// run that was killed goes on from here, so every step is written down before it is done (what may
// have been sent) and after (what is certain).
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

/// Where an item's text is, and what it is called.
struct ItemPlace {
  std::int64_t ordinal = 0;  ///< from 1, in the order of the input
  std::uint64_t line = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t hash = 0;
  std::string id{};
};

/// Lines of the input that were checked. What they hold becomes items when it is due to be sent:
/// that a large file is well is known in the time that reading it takes.
struct Stretch {
  std::int64_t ordinal = 0;  ///< of its first line
  std::int64_t lines = 0;    ///< that are not blank
  std::int64_t items = 0;    ///< of this shard, without those that are left out
  std::uint64_t offset = 0;
  std::uint64_t line = 0;
  std::uint64_t hash = 0;
};

enum class BatchStage : std::uint8_t {
  Creating,  ///< the call that creates it was or will be made; it may exist
  Open,      ///< exists; further requests may be added
  Closed,    ///< holds all of its requests
  Collected  ///< every result is here
};

/// One batch of the service.
struct JournalBatch {
  std::int64_t number = 0;  ///< from 1
  std::string name{};       ///< unique: by it the batch is found again
  std::string remote_id{};
  std::string file_id{};
  BatchStage stage = BatchStage::Creating;
  std::int64_t assigned = 0;  ///< items that belong to it
  std::int64_t cost_ticks = 0;
  std::string token{};  ///< of the results page to begin at
  std::int64_t made_at = 0;
};

/// Items that go with one call.
struct JournalPart {
  std::int64_t number = 0;
  std::int64_t batch = 0;
};

struct Totals {
  std::int64_t items = 0;
  std::int64_t assigned = 0;  ///< sent, or about to be
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::int64_t cancelled = 0;
  std::int64_t unknown = 0;
  std::int64_t cost_ticks = 0;  ///< the greater of what batches and results say

  [[nodiscard]] std::int64_t done() const noexcept {
    return succeeded + failed + cancelled + unknown;
  }
  [[nodiscard]] std::int64_t not_well() const noexcept { return failed + cancelled + unknown; }
};

/// An item with its result, for the results file. `json` is empty when there is none.
struct Finished {
  ItemPlace place{};
  Outcome outcome = Outcome::Unknown;
  std::string reason{};
  std::string json{};
  std::string batch_id{};
  std::int64_t sequence = 0;  ///< in order of arrival
};

class Journal {
 public:
  /// Opens or creates the journal (0600) and keeps it for this process alone. While another process
  /// has it this waits up to two seconds, in which one that was killed is gone; then Local. The
  /// token's fault once it is cancelled.
  [[nodiscard]] static Result<Journal> open(const std::string& path,
                                            const CancelToken& cancel = NeverCancelled());

  // What the run as a whole remembers.
  [[nodiscard]] Result<std::optional<std::string>> fact(std::string_view name);
  [[nodiscard]] Result<void> set_fact(std::string_view name, std::string_view value);
  [[nodiscard]] Result<Transaction> begin() { return Transaction::begin(m_database); }
  /// Whether a commit waits for the disk; from the start it does. One that does not survives the
  /// end of the program, however it ends, but a power cut only once a later one has waited.
  [[nodiscard]] Result<void> wait_for_disk(bool waits);

  /// Forgets everything. Between begin() and commit().
  [[nodiscard]] Result<void> clear();

  // Checking. Between begin() and commit().
  [[nodiscard]] Result<void> add_stretch(const Stretch& stretch);
  /// Leaves out the item of that ordinal, which is in a stretch: another one has its id.
  [[nodiscard]] Result<void> leave_out(std::int64_t ordinal);

  // Sending.
  /// The first stretch whose items are not here yet.
  [[nodiscard]] Result<std::optional<Stretch>> next_stretch();
  /// The stretch gives way to its items, but for those that are left out; all of it or nothing.
  [[nodiscard]] Result<void> fill(const Stretch& stretch, const std::vector<ItemPlace>& items);
  /// Fills the next stretch; false when there is none.
  using Fill = std::function<Result<bool>()>;
  void fill_by(Fill fill) { m_fill = std::move(fill); }
  /// The next item that belongs to no part, after `ordinal`.
  [[nodiscard]] Result<std::optional<ItemPlace>> next_unassigned(std::int64_t after);
  [[nodiscard]] Result<std::int64_t> count_unassigned();
  [[nodiscard]] Result<std::vector<JournalBatch>> batches();
  [[nodiscard]] Result<JournalBatch> add_batch(const JournalBatch& batch);
  [[nodiscard]] Result<void> save_batch(const JournalBatch& batch);
  /// Gives the items to a new part of the batch that is about to be sent.
  [[nodiscard]] Result<JournalPart> begin_part(std::int64_t batch,
                                               const std::vector<std::int64_t>& ordinals);
  /// The same between begin() and commit().
  [[nodiscard]] Result<JournalPart> add_part(std::int64_t batch,
                                             const std::vector<std::int64_t>& ordinals);
  /// The part is in its batch for certain.
  [[nodiscard]] Result<void> part_is_in(std::int64_t part);
  /// Parts whose call may or may not have run.
  [[nodiscard]] Result<std::vector<JournalPart>> parts_in_doubt();
  /// Settles the parts in doubt of a batch: items named by present() stay, the others belong to no
  /// part again. Gives how many stayed.
  [[nodiscard]] Result<void> forget_present();
  [[nodiscard]] Result<void> present(std::string_view id);
  [[nodiscard]] Result<std::int64_t> settle(std::int64_t batch);
  /// All parts of the batch are in it.
  [[nodiscard]] Result<void> batch_is_in(std::int64_t batch);
  /// Forgets a batch that was never created; its items belong to no part again.
  [[nodiscard]] Result<void> drop_batch(std::int64_t batch);
  /// The item was not sent after all: it belongs to no part again.
  [[nodiscard]] Result<void> take_back(std::int64_t ordinal);
  /// The service refused the item of the batch: it counts as failed.
  [[nodiscard]] Result<void> refuse_item(std::int64_t ordinal, std::string_view reason,
                                         std::int64_t batch);

  // Collecting.
  /// Keeps a result of the batch; false when the item has one already or is not of this batch.
  [[nodiscard]] Result<bool> add_result(std::int64_t batch, const ResultItem& item,
                                        std::string_view json);
  /// Counts tokens of the batch's results in. They stay when a result is sent again: it was paid
  /// for.
  [[nodiscard]] Result<void> add_tokens(std::int64_t batch, const Usage& usage);
  /// Those counted so far, without a cost.
  [[nodiscard]] Result<Usage> tokens(std::int64_t batch);
  /// Whether there is an item of that id.
  [[nodiscard]] Result<bool> has_item(std::string_view id);
  /// Gives all items up to `ordinal` that belong to no part to one of the batch.
  [[nodiscard]] Result<void> add_all_up_to(std::int64_t ordinal, std::int64_t batch);
  /// Items of the batch without a result.
  [[nodiscard]] Result<std::int64_t> count_missing(std::int64_t batch);
  /// They belong to no part again.
  [[nodiscard]] Result<void> take_back_missing(std::int64_t batch);
  /// They get this outcome.
  [[nodiscard]] Result<void> give_up(std::int64_t batch, Outcome outcome, std::string_view reason);

  // Totals and results of the run.
  [[nodiscard]] Result<Totals> totals();
  /// How often each reason occurred, the most frequent first.
  [[nodiscard]] Result<std::vector<std::pair<std::string, std::int64_t>>> reasons();
  using FinishedSink = std::function<Result<void>(const Finished&)>;
  /// Items from `ordinal` on in the order of the input, up to the first without a result.
  [[nodiscard]] Result<void> each_in_order(std::int64_t from, const FinishedSink& sink);
  /// Results after `sequence` in the order of arrival.
  [[nodiscard]] Result<void> each_arrived(std::int64_t after, const FinishedSink& sink);
  /// Takes back items that ended with one of the outcomes, to be sent again; gives how many.
  [[nodiscard]] Result<std::int64_t> reopen(bool failed, bool cancelled);

 private:
  explicit Journal(Database database) : m_database(std::move(database)) {}
  [[nodiscard]] Result<Statement*> statement(const char* sql);
  [[nodiscard]] Result<void> read_finished(Statement& row, std::int64_t from,
                                           const FinishedSink& sink);

  Database m_database;
  std::map<const char*, Statement> m_statements{};
  Fill m_fill{};
};

}  // namespace svc::batch
