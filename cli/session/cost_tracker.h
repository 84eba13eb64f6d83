// Prints and records what answers cost, and enforces the budgets per run and per day.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "catalogue/model.h"
#include "client/answer.h"
#include "client/settings.h"
#include "history/ledger.h"
#include "print/notice.h"

namespace svc::cli {

class Session;

/// What an answer says about its price.
struct CostEntry {
  std::string id{};  ///< of the answer or the job, where it has one
  std::string model{};
  Usage usage{};  ///< tokens where there are any, and the cost where it is named
  std::string request_id{};
  /// Fetched: the answer may have been booked when it was fetched before.
  history::Booking booking = history::Booking::New;
  bool interrupted = false;  ///< sent, but no whole answer came: it counts, its cost is unknown
};

/// Threads may share it.
class CostTracker {
 public:
  struct Owner {
    std::string profile{};
    bool emulated = false;
    std::string command{};  ///< "chat create"
    std::optional<std::int64_t> run_limit{};
    std::optional<std::int64_t> day_limit{};
    bool tells = false;
    /// What this run has spent, shared with others that have the same limit; null: its own.
    std::shared_ptr<std::atomic<std::int64_t>> spent{};
  };

  /// `notices` must outlive it.
  CostTracker(Owner owner, print::Notices& notices);

  /// Once for every answer that names tokens or a price, and for every one that was interrupted:
  /// writes the ledger, counts it. A ledger that cannot be written fails no answer; the first time
  /// there is a warning.
  void record(const CostEntry& entry);
  /// The same for several with Booking::New, written at once.
  void record_new(std::span<const CostEntry> entries);

  /// Tells on standard error, where that is wanted, what an answer cost that is booked already.
  void print(const Usage& usage);

  /// Whether something more may be sent. Limited, with what was spent and what is allowed; Local
  /// when there is a limit for the day and the ledger cannot tell what was spent.
  [[nodiscard]] Result<void> may_spend();

 private:
  [[nodiscard]] Result<history::Ledger*> ledger();
  [[nodiscard]] history::Entry ledger_entry(const CostEntry& entry) const;
  void count(const Result<std::int64_t>& booked, std::int64_t otherwise);

  Owner m_owner;
  print::Notices& m_notices;
  mutable std::mutex m_mutex{};
  std::optional<history::Ledger> m_ledger{};
  bool m_warned = false;
};

/// Where the ledger's files are and what their names begin with; empty where there is no place for
/// one.
[[nodiscard]] std::string ledger_path();

/// "9 tokens in (4 cached), 12 out (5 reasoning), 2 sources, $0.0042"; "" when there is nothing to
/// say.
[[nodiscard]] std::string cost_line(const Usage& usage);

// What responses say about their price, as the cost tracker records it.

/// Books an answer of a model; silently, as conclude() tells it once it is shown. `job`: the id
/// that it was fetched by; empty: it was made for this request, or has an id of its own.
void record_answer(Session& session, const Operation& operation, const Answer& answer, sv job = {});

/// Records an answer by its JSON, for who does not read the rest of it: images, a video.
void record_document(Session& session, const Operation& operation, sv body, sv job = {});

/// The same for the answers of a bulk run, all at once; nothing stands for one that did not arrive
/// whole.
void record_documents(Session& session, const Operation& operation,
                      std::span<const std::optional<std::string>> bodies);

/// Records that a request was sent and no whole answer came, if that is what `error` says and the
/// operation may cost something.
void record_interrupted(Session& session, const Operation& operation, const Error& error);

/// The same where it is known: work was handed to a model, and its end was not awaited.
void record_interrupted(Session& session, const Operation& operation);

/// Tells on standard error what such an answer cost.
void print_cost(Session& session, sv body);

/// Records what a batch has cost so far, and the tokens of its results where they were read; what
/// it costs more is recorded when it is looked at again. `model` is "" where it is not known, or
/// there are several.
void record_batch(Session& session, const std::string& id, const std::string& model, Usage usage);

}  // namespace svc::cli
