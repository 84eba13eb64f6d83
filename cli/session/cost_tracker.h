// Prints and records what answers cost, and enforces the budgets per run and per day.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
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
#include "client/api_client.h"
#include "client/quote.h"
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

/// What the requests under one limit have cost, and may cost, by whichever thread. Thread-safe.
class SharedSpending {
 public:
  /// What a daily limit leaves.
  struct Day {
    std::int64_t left = k_unlimited;          ///< beside the reservations of other processes
    std::int64_t left_at_best = k_unlimited;  ///< if those cost nothing
    bool others = false;                      ///< another process has a request in flight
  };
  static constexpr std::int64_t k_unlimited = std::numeric_limits<std::int64_t>::max() / 4;

  struct Grant {
    std::int64_t ticks = 0;                ///< reserved
    std::optional<std::int64_t> tokens{};  ///< the limit of each answer that makes it hold
  };

  [[nodiscard]] std::int64_t spent() const;
  void add(std::int64_t ticks);
  /// Adds what an earlier run, which this one continues, has spent, in all and for its dearest
  /// request, and what counts for answers that were lost.
  void resume(std::int64_t ticks, std::int64_t dearest, std::int64_t lost = 0);

  /// How many requests may be in flight at once: an open answer gets its share.
  void set_parallel(std::size_t requests);

  /// Reserves the highest cost of a request. Nothing if it has to wait for those in flight. Limited
  /// if it does not fit. A request whose cost cannot be known goes alone until one is known, and
  /// near the limit, so that the limit is exceeded by one request at most.
  [[nodiscard]] Result<std::optional<Grant>> reserve(const Budget& budget, const Quote& quote,
                                                     const Day& day);
  /// Replaces a reservation by the cost.
  void settle(const Grant& grant, std::int64_t ticks, std::int64_t output_tokens);
  /// Replaces a reservation by what counts for an answer that was lost.
  void lose(const Grant& grant, std::int64_t ticks);

 private:
  mutable std::mutex m_mutex{};
  std::int64_t m_spent = 0;
  std::int64_t m_lost = 0;  ///< part of it: for answers that were lost
  std::int64_t m_reserved = 0;
  std::int64_t m_in_flight = 0;
  std::int64_t m_parallel = 1;
  std::int64_t m_longest = 0;               ///< output tokens of an answer
  std::optional<std::int64_t> m_dearest{};  ///< ticks of an answer
};

/// Thread-safe.
class CostTracker final : public SpendGuard {
 public:
  struct Owner {
    std::string profile{};
    bool emulated = false;
    std::string command{};  ///< "chat create"
    std::optional<std::int64_t> run_limit{};
    std::optional<std::int64_t> day_limit{};
    bool tells = false;
    bool sends_nothing = false;  ///< asks what the limits allow, and takes nothing of the day's
    /// What this run has spent, shared by all trackers with the same limit; null: not shared.
    std::shared_ptr<SharedSpending> spent{};
    /// What a request costs. May be empty.
    std::function<Quote(const Operation&, const Payload&)> quote{};
  };

  /// `notices` must outlive the tracker.
  CostTracker(Owner owner, print::Notices& notices);
  CostTracker(const CostTracker&) = delete;
  CostTracker& operator=(const CostTracker&) = delete;
  ~CostTracker() override;

  /// Call once for every answer that reports tokens or a cost, and for every interrupted request:
  /// records the cost and adds it to the total. A failure to write the ledger does not fail the
  /// answer; the first one is reported as a warning.
  void record(const CostEntry& entry);
  /// Records several entries with RecordKind::New in one write.
  void record_new(std::span<const CostEntry> entries);

  /// Prints the cost of an answer already recorded to standard error, if enabled.
  void print(const Usage& usage);

  /// Whether there is a limit, so that prices are needed.
  [[nodiscard]] bool is_limited() const { return m_owner.run_limit || m_owner.day_limit; }
  [[nodiscard]] SharedSpending& spending() { return *m_owner.spent; }

  /// What this one reserves is settled after hours: other processes do not wait for it.
  void set_slow() noexcept { m_slow = true; }
  /// Counts a cost that record() is told next.
  void bill(std::int64_t ticks);
  /// Names what this one reserves under a daily limit, to give_back() of a later one; "" without.
  [[nodiscard]] std::string day_account() const { return m_day ? m_day->id() : std::string(); }
  /// Gives back ticks that a tracker which has ended left reserved for the day.
  void give_back(const std::string& account, std::int64_t ticks);

  /// Whether a session may be opened; waits for requests in flight until `cancel` is canceled.
  /// Fails with Fault::Limited, with the amounts spent and allowed, also if there is a daily limit
  /// and the ledger cannot be read or written.
  [[nodiscard]] Result<void> may_spend(const CancelToken& cancel);
  /// The same without waiting: false if requests are in flight whose costs may use it up.
  [[nodiscard]] Result<bool> may_spend_now();

  /// Reserves a cost that no request says, such as that of time; as reserve().
  [[nodiscard]] Result<std::optional<Reserved>> reserve_known(std::int64_t ticks, sv model);
  /// Replaces it by `ticks`, and records them.
  void settle_known(std::uint64_t reserved, std::int64_t ticks);

  [[nodiscard]] Result<std::optional<Reserved>> reserve(const Operation& operation,
                                                        Payload& body) override;
  void settle(std::uint64_t reserved, SpendEnd end, std::string_view answer) override;
  /// For a request that is only shown: until the tracker's end, the limits have less left by what
  /// it would cost at least.
  void settle_shown(std::uint64_t reserved);

 private:
  struct Open {
    SharedSpending::Grant grant{};
    bool known = false;  ///< it costs no more than the grant
    bool by_quantity = false;
    bool counts = true;  ///< not what has neither a price nor reports a cost, such as speech
    std::string model{};
    std::int64_t least = 0;  ///< ticks
  };

  [[nodiscard]] Result<history::CostLedger*> ledger();
  [[nodiscard]] Result<std::int64_t> known_day_costs();
  [[nodiscard]] history::Entry ledger_entry(const CostEntry& entry) const;
  [[nodiscard]] Result<std::optional<Reserved>> reserve_quoted(const Quote& quote, bool counts);
  [[nodiscard]] Result<std::optional<SharedSpending::Grant>> grant(const Quote& quote);
  [[nodiscard]] std::int64_t outstanding() const;
  void update_day();
  void lose(const Open& open);
  void end_streamed();
  void book(const CostEntry& entry);
  void count(const Result<std::int64_t>& booked, std::int64_t otherwise, const Usage& usage);

  Owner m_owner;
  print::Notices& m_notices;
  mutable std::mutex m_mutex{};
  std::optional<history::CostLedger> m_ledger{};
  std::optional<history::Reservations> m_day{};
  std::map<std::uint64_t, Open> m_open{};
  std::optional<Open> m_streamed{};  ///< answered; record() is told the cost
  std::int64_t m_unrecorded = 0;     ///< counted in a document that is not recorded yet
  std::int64_t m_shown = 0;          ///< what the requests that are only shown cost at least
  std::uint64_t m_last = 0;
  bool m_slow = false;
  bool m_warned = false;
  bool m_limit_reported = false;
};

/// The path prefix of the ledger's files; empty if there is no directory for it.
[[nodiscard]] std::string ledger_path();

/// "9 tokens in (4 cached), 12 out (5 reasoning), 2 sources, $0.0042"; "" if nothing was reported.
[[nodiscard]] std::string cost_line(const Usage& usage);

/// "4000 tokens came from the prompt cache, which saved $0.006"; "" if none did.
[[nodiscard]] std::string cache_line(const Usage& usage);

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
