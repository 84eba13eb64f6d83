// Keeps a run in batches within a limit: what each request may cost is reserved before it is sent,
// and replaced by its cost when the results of its batch are there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "batch/journal.h"
#include "client/api_client.h"

namespace svc::batch {

/// What a run may spend.
class Allowance : public SpendGuard {
 public:
  /// How many requests share what is left.
  virtual void share(std::int64_t requests) = 0;
  /// Counts what an earlier run has spent, or may spend; negative: no longer. `dearest`: of its
  /// requests.
  virtual void resume(std::int64_t ticks, std::int64_t dearest) = 0;
  /// Counts a cost that is recorded next, by this process or by another.
  virtual void bill(std::int64_t ticks) = 0;
  /// Names what this run reserves and leaves reserved, to give_back() of a later one, without
  /// blanks; "": nothing stays reserved.
  virtual std::string account() = 0;
  /// Gives back what an earlier run left reserved.
  virtual void give_back(const std::string& account, std::int64_t ticks) = 0;
};

/// The reservations of the requests of a run.
class Holds {
 public:
  /// `allowance` must outlive it; null: there is no limit.
  Holds(Journal& journal, Allowance* allowance) : m_journal(journal), m_allowance(allowance) {}
  Holds(const Holds&) = delete;
  Holds& operator=(const Holds&) = delete;
  ~Holds();

  [[nodiscard]] bool is_limited() const noexcept { return m_allowance != nullptr; }

  /// Counts what earlier runs with this journal have spent, and what their batches may cost.
  [[nodiscard]] Result<void> resume();

  /// Begins to send as many of the requests left as fit.
  [[nodiscard]] Result<void> begin_round();
  /// Reserves for a request, given as it is sent, and may limit the length of its answer. False if
  /// it does not fit: nothing more is sent in this round.
  [[nodiscard]] Result<bool> admit(std::int64_t ordinal, std::string& json);
  /// Keeps an admitted request for the next admit().
  void keep(std::int64_t ordinal, std::string json);
  /// Records what a batch may cost, before more is added to it.
  [[nodiscard]] Result<void> assign(std::int64_t batch, const std::vector<std::int64_t>& ordinals);
  /// Gives back what was reserved for those of the requests that were not sent after all.
  [[nodiscard]] Result<void> release(std::int64_t batch, const std::vector<std::int64_t>& ordinals);

  /// Replaces what was reserved for a batch by what its requests have cost.
  [[nodiscard]] Result<void> settle(const JournalBatch& batch);

  /// Whether a request did not fit in this round.
  [[nodiscard]] bool is_full() const noexcept { return m_full; }
  /// Why, if it will not fit later either.
  [[nodiscard]] const std::optional<Error>& refusal() const noexcept { return m_refusal; }
  /// Whether a batch was settled in this round, so that more may fit.
  [[nodiscard]] bool has_settled() const noexcept { return m_settled; }
  /// The number of requests in batches in this round.
  [[nodiscard]] std::int64_t assigned() const noexcept { return m_assigned; }

 private:
  struct Hold {
    Reserved reserved{};
    std::string kept{};  ///< as it is sent; "" once it was
    bool assigned = false;
  };
  /// A batch of an earlier run: ticks that it may still cost, and those known when this run began.
  struct Earlier {
    std::int64_t reserved = 0;
    std::int64_t counted = 0;
  };

  void settle_hold(std::int64_t ordinal, SpendEnd end, const Usage& usage);
  [[nodiscard]] Result<void> read_accounts(std::int64_t batch);
  [[nodiscard]] Result<void> save_reserved(std::int64_t batch, std::int64_t more);
  [[nodiscard]] Result<void> give_back(std::int64_t batch);

  Journal& m_journal;
  Allowance* m_allowance;
  std::map<std::int64_t, Hold> m_holds{};             ///< by ordinal
  std::map<std::int64_t, std::int64_t> m_by_batch{};  ///< ticks
  /// By batch: the ticks that runs reserved for it, by the names of their reservations.
  std::map<std::int64_t, std::map<std::string, std::int64_t>> m_accounts{};
  std::map<std::int64_t, Earlier> m_earlier{};
  std::int64_t m_assigned = 0;
  bool m_full = false;
  bool m_settled = false;
  std::optional<Error> m_refusal{};
};

}  // namespace svc::batch
