// A bulk run from its input to its results, resumable at any point: finished steps are recorded in
// the journal, and rerunning the command resumes the run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/cancel_token.h"
#include "base/result.h"
#include "batch/check.h"
#include "batch/clock.h"
#include "batch/direct_sender.h"
#include "batch/holds.h"
#include "batch/input.h"
#include "batch/journal.h"
#include "batch/result_writer.h"
#include "batch/service.h"
#include "batch/uploader.h"
#include "client/usage.h"

namespace svc::batch {

struct RunOptions {
  std::string input{};      ///< path of a regular file
  bool from_stdin = false;  ///< `input` is a copy of it, deleted once opened
  InputOptions reading{};
  std::string journal{};       ///< path; empty: journal_path()
  std::string journal_stem{};  ///< the first part of the default path
  std::string destination{};   ///< identifies the service; a journal belongs to one service
  UploaderOptions sending{};
  std::optional<std::size_t> jobs{};  ///< requests in flight, sent individually; nothing: in
                                      ///< batches
  Shard shard{};
  bool skip_invalid = false;
  bool retry_failed = false;
  bool restart = false;  ///< discards the earlier run with this journal
  Budget budget{};
  std::optional<milliseconds> poll_interval{};
  std::optional<milliseconds> wait_timeout{};
  /// Once canceled, no more requests are sent and none is waited for; requests in flight finish,
  /// and run() returns its fault unless everything is done. Null: never.
  const CancelToken* drain = nullptr;
  Order order = Order::Input;       ///< of deliver()
  Order live_order = Order::Input;  ///< of RunCallbacks::result
  bool with_input = false;
};

enum class Phase : std::uint8_t { Checking, Sending, Waiting };

/// The progress of a run. `done` and `total` count bytes while checking, then requests.
struct RunProgress {
  Phase phase = Phase::Checking;
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  Totals totals{};
};

/// Callbacks during a run. All but the first may be called often.
struct RunCallbacks {
  /// Writes the input, once the journal is locked; `existed`: the journal is older than this run.
  /// Empty: the input is there.
  std::function<Result<void>(bool existed)> make_input{};
  std::function<void(const RunProgress&)> progress{};
  std::function<void(const std::string&)> note{};
  ResultWriter::Sink
      result{};  ///< results as they become available; empty: at the end, by deliver()
  ResultWriter::Prepare prepare{};                  ///< before each is output; may be empty
  std::function<Result<void>()> results_end{};      ///< after each group of them; may be empty
  std::function<void(const JournalBatch&)> paid{};  ///< the cost of a batch is known; may be empty
};

class Runner {
 public:
  /// The service is created only when needed: reporting an invalid input requires none.
  struct Connect {
    std::function<Result<Service*>()> batches{};
    std::function<Result<DirectContext>()> direct{};  ///< with RunOptions::jobs
    Allowance* allowance = nullptr;                   ///< of batches; null: no limit
  };

  /// References must outlive the runner.
  Runner(RunOptions options, Connect connect, const Clock& clock, const CancelToken& cancel,
         RunCallbacks callbacks);

  /// Opens the input and the journal, and checks the input unless an earlier run did. Usage if
  /// lines are invalid: see report().
  [[nodiscard]] Result<void> prepare();

  /// Sends, waits and collects. Limited if the budget is used up; results received until then are
  /// in the journal.
  [[nodiscard]] Result<void> run();

  /// Instead of run(), with a journal that is thrown away: passes on the bodies of the requests
  /// that would be sent individually, or has the service of Connect::batches get what would be
  /// sent.
  [[nodiscard]] Result<void> plan(const std::function<Result<void>(std::string body)>& add);

  /// Emits all results so far in the requested order.
  [[nodiscard]] Result<void> deliver(const ResultWriter::Sink& sink);

  [[nodiscard]] const CheckReport& report() const noexcept { return m_report; }
  [[nodiscard]] Result<Totals> totals() { return m_journal->totals(); }
  [[nodiscard]] Journal& journal() { return *m_journal; }
  /// Its path. Valid after prepare().
  [[nodiscard]] const std::string& journal_file() const noexcept { return m_options.journal; }
  /// The column of a table that is the prompt; "" if there is none. Valid after prepare().
  [[nodiscard]] const std::string& prompt_column() const { return m_input->prompt_column(); }
  /// Whether each prompt is the same text. Valid after prepare().
  [[nodiscard]] bool is_fixed() const { return m_input->is_fixed(); }
  [[nodiscard]] bool resumed() const noexcept { return m_resumed; }

  /// Whether an earlier run has finished everything, so that run() will send nothing. Valid after
  /// prepare().
  [[nodiscard]] bool is_finished() const noexcept { return m_finished; }

  /// Notes that the caller has the results: a later run with retry_failed sends again what failed.
  /// Returns Local if the journal cannot be written.
  [[nodiscard]] Result<void> set_handed_over() { return m_journal->set_fact("handed over", "yes"); }
  /// When that run finished, in Unix seconds; nothing if it was not recorded.
  [[nodiscard]] std::optional<std::int64_t> finished_at() const noexcept { return m_finished_at; }

 private:
  [[nodiscard]] Result<void> open_input();
  [[nodiscard]] Result<void> find_journal();
  [[nodiscard]] Result<void> match_or_check(bool existed);
  [[nodiscard]] Result<void> check();
  [[nodiscard]] Result<bool> matches_journal();
  [[nodiscard]] Result<bool> has_same_input();
  [[nodiscard]] Error changed_error(bool input, const std::string& saved_description);
  [[nodiscard]] Result<void> discard();
  [[nodiscard]] Result<void> note_unfinished();
  [[nodiscard]] Result<bool> is_all_done();
  [[nodiscard]] Result<bool> has_to_retry(const Totals& totals);
  [[nodiscard]] Result<void> check_finished();
  [[nodiscard]] Result<void> reopen_failed();
  [[nodiscard]] Result<void> check_budget();
  [[nodiscard]] Result<void> send_in_batches();
  [[nodiscard]] Result<void> submit(Service& service);
  [[nodiscard]] Result<void> send_directly();
  [[nodiscard]] Result<void> wait(Service& service);
  [[nodiscard]] Result<bool> poll(Service& service, Collector& collector, JournalBatch& batch);
  [[nodiscard]] Result<void> finish_batch(Collector& collector, JournalBatch& batch,
                                          const BatchState& state);
  [[nodiscard]] Result<void> set_collected(JournalBatch& batch);
  [[nodiscard]] Result<void> check_timeout() const;
  [[nodiscard]] Result<bool> has_more_rounds();
  [[nodiscard]] Result<void> enforce_budget(Service& service, std::vector<JournalBatch>& batches);
  [[nodiscard]] Result<void> hand_over();
  void report_progress();

  RunOptions m_options;
  Connect m_connect;
  const Clock& m_clock;
  const CancelToken& m_cancel;
  RunCallbacks m_callbacks;
  std::optional<Input> m_input{};
  std::optional<Journal> m_journal{};
  std::optional<ResultWriter> m_writer{};
  CheckReport m_report{};
  std::map<std::int64_t, BatchState> m_states{};  // last known states, by batch number
  std::map<std::int64_t, int> m_loading_polls{};
  bool m_resumed = false;
  bool m_stale = false;  // the journal contains a run that this one replaces
  bool m_finished = false;
  std::optional<std::int64_t> m_finished_at{};
  bool m_over_budget = false;
  bool m_rounds_reported = false;
  /// When all that fits had been sent for the first time; the time limit counts from here.
  std::optional<milliseconds> m_waits_since{};
  std::optional<Holds> m_holds{};
};

/// The start of the journal's file name for an input with this name.
[[nodiscard]] std::string journal_name(const std::string& input, const Shard& shard);

/// The start of the journal's default path: next to the input, or in `state_directory` if that
/// directory is not writable. Each shard has its own journal.
[[nodiscard]] std::string default_journal_stem(const std::string& input, const Shard& shard,
                                               const std::string& state_directory);

/// The journal's path: RunOptions::journal, or the default one. Each prompt, and each set of
/// options that changes what is sent, has its own journal.
[[nodiscard]] std::string journal_path(const RunOptions& options);

}  // namespace svc::batch
