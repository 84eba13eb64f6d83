// Prints and records what answers cost, and enforces the budgets per run and per day.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/cancel_token.h"
#include "base/result.h"
#include "catalogue/model.h"
#include "client/answer.h"
#include "client/usage.h"
#include "history/cost_ledger.h"
#include "print/notice.h"

namespace svc::cli {

class Session;

/// The cost information of an answer.
struct CostEntry {
  std::string id{};  ///< of the answer or the job, if it has one
  std::string model{};
  Usage usage{};  ///< tokens and cost, as far as reported
  /// Fetched: the cost may already have been recorded by an earlier fetch.
  history::RecordKind booking = history::RecordKind::New;
  bool interrupted = false;  ///< sent without a complete response; cost unknown
};

/// What the requests under one limit have cost, by whichever thread. Thread-safe.
class SharedSpending {
 public:
  [[nodiscard]] std::int64_t spent() const;
  void add(std::int64_t ticks);

  /// Waits until one more request may be in flight. Limited if nothing more may be sent; the fault
  /// of `cancel` once it is canceled.
  [[nodiscard]] Result<void> begin(const Budget& budget, const CancelToken& cancel);
  /// After each begin(), once the cost was added.
  void end();

 private:
  mutable std::mutex m_mutex{};
  std::condition_variable m_changed{};
  std::int64_t m_spent = 0;
  std::int64_t m_in_flight = 0;
  std::optional<std::int64_t> m_most{};
};

/// Thread-safe.
class CostTracker {
 public:
  struct Owner {
    std::string profile{};
    bool emulated = false;
    std::string command{};  ///< "chat create"
    std::optional<std::int64_t> run_limit{};
    std::optional<std::int64_t> day_limit{};
    bool tells = false;
    /// What this run has spent, shared by all trackers with the same limit; null: not shared.
    std::shared_ptr<SharedSpending> spent{};
    const CancelToken& cancel;  ///< of waiting for others
  };

  /// `notices` must outlive the tracker.
  CostTracker(Owner owner, print::Notices& notices);
  CostTracker(const CostTracker&) = delete;
  CostTracker& operator=(const CostTracker&) = delete;
  ~CostTracker();

  /// Call once for every answer that reports tokens or a cost, and for every interrupted request:
  /// records the cost and adds it to the total. A failure to write the ledger does not fail the
  /// answer; the first one is reported as a warning.
  void record(const CostEntry& entry);
  /// Records several entries with RecordKind::New in one write.
  void record_new(std::span<const CostEntry> entries);

  /// Prints the cost of an answer already recorded to standard error, if enabled.
  void print(const Usage& usage);

  /// Whether another request may be sent; waits for those of other trackers with the same limit if
  /// it might exceed it. Fails with Fault::Limited, with the amounts spent and
  /// allowed, also if there is a daily limit and the ledger cannot be read or written.
  [[nodiscard]] Result<void> may_spend();

 private:
  [[nodiscard]] Result<history::CostLedger*> ledger();
  [[nodiscard]] Result<std::int64_t> known_day_costs();
  [[nodiscard]] history::Entry ledger_entry(const CostEntry& entry) const;
  void count(const Result<std::int64_t>& booked, std::int64_t otherwise);

  Owner m_owner;
  print::Notices& m_notices;
  mutable std::mutex m_mutex{};
  std::optional<history::CostLedger> m_ledger{};
  bool m_warned = false;
  bool m_in_flight = false;  // a request that may_spend() let pass is not recorded yet
};

/// The path prefix of the ledger's files; empty if there is no directory for it.
[[nodiscard]] std::string ledger_path();

/// "9 tokens in (4 cached), 12 out (5 reasoning), 2 sources, $0.0042"; "" if nothing was reported.
[[nodiscard]] std::string cost_line(const Usage& usage);

// Recording the cost that responses report.

/// Records the cost of a model's answer without printing it; finish_call() prints it after the
/// answer. `job`: the ID by which the answer was fetched; empty if it answers this request directly
/// or has its own ID.
void record_answer(Session& session, const Operation& operation, const Answer& answer, sv job = {});

/// Records the cost from a response's JSON, for responses that are not parsed otherwise: images,
/// videos.
void record_document(Session& session, const Operation& operation, sv body, sv job = {});

/// Records the costs of a bulk run in one write; nothing marks a response that was incomplete.
void record_documents(Session& session, const Operation& operation,
                      std::span<const std::optional<std::string>> bodies);

/// Records that a request was sent without a complete response, if `error` indicates that and the
/// operation may cost something.
void record_interrupted(Session& session, const Operation& operation, const Error& error);

/// Records that a job was submitted whose completion was not awaited.
void record_interrupted(Session& session, const Operation& operation);

/// Prints the cost in a response's JSON to standard error.
void print_cost(Session& session, sv body);

/// Records a batch's cost so far, and the tokens of its results if they were read; later costs are
/// recorded when the batch is checked again. `model` is "" if it is unknown or there are several.
void record_batch(Session& session, const std::string& id, const std::string& model, Usage usage);

}  // namespace svc::cli
