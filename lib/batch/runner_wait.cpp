// The runner's half that waits: polls the batches, collects, minds the budget.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "batch/runner.h"

namespace svc::batch {
namespace {

constexpr milliseconds k_first_pause{1'000};
constexpr milliseconds k_last_pause{10'000};
/// A finished batch may list its last results a moment later.
constexpr int k_looks_for_missing = 3;

}  // namespace

void Runner::tell_waiting() {
  Totals totals;
  for (const auto& [number, state] : m_states) {
    totals.items += state.requests;
    totals.succeeded += state.succeeded;
    totals.failed += state.failed;
    totals.cancelled += state.cancelled;
    totals.cost_ticks += state.cost_ticks.value_or(0);
  }
  m_watch.progress({Phase::Waiting, static_cast<std::uint64_t>(totals.done()),
                    static_cast<std::uint64_t>(totals.items), totals});
}

Result<void> Runner::wait(Service& service) {
  SVC_TRY(batches, m_journal->batches());
  Collector collector(*m_journal, service, [this]() -> Result<void> {
    return m_watch.result ? m_delivery->advance() : Result<void>();
  });
  const milliseconds begin = m_clock.now();
  milliseconds pause = m_options.poll_interval.value_or(k_first_pause);
  while (true) {
    bool all = true;
    for (JournalBatch& batch : batches) {
      SVC_TRY(finished, look(service, collector, batch));
      all = all && finished;
    }
    if (all) break;
    SVC_CHECK(mind_budget(service, batches));
    const milliseconds waited = m_clock.now() - begin;
    if (m_options.wait_timeout && waited >= *m_options.wait_timeout) {
      return Error{Fault::Timeout,
                   fmt::format("not done within {}", format_duration(*m_options.wait_timeout)),
                   "The batches keep running; the same command waits for them again."};
    }
    SVC_CHECK(m_clock.sleep(pause));
    if (!m_options.poll_interval) pause = std::min(pause * 3 / 2, k_last_pause);
  }
  if (collector.strangers() > 0) {
    m_watch.note("the batches contain requests that are not part of this run; they were ignored");
  }
  return {};
}

/// One look at a batch; true when it is done and collected.
Result<bool> Runner::look(Service& service, Collector& collector, JournalBatch& batch) {
  if (batch.stage == BatchStage::Collected) return true;
  SVC_TRY(state, service.get(batch.remote_id));
  BatchState& before = m_states[batch.number];
  const bool news = state.succeeded + state.failed > before.succeeded + before.failed;
  before = state;
  if (state.cost_ticks) batch.cost_ticks = *state.cost_ticks;
  tell_waiting();
  if (state.requests == 0) {
    // All that was meant for it was refused.
    SVC_TRY(missing, m_journal->count_missing(batch.number));
    if (missing == 0) batch.stage = BatchStage::Collected;
    if (missing == 0) SVC_CHECK(m_journal->save_batch(batch));
    if (missing == 0) return true;
  }
  // The service loads a file in its own time; lines that the service drops never come.
  const bool loading = !batch.file_id.empty() && state.requests < batch.assigned &&
                       !state.was_cancelled &&
                       m_loading_looks[batch.number]++ < k_looks_for_missing;
  if (!loading && batch::is_finished(state)) {
    SVC_CHECK(finish_batch(collector, batch, state));
    return true;
  }
  if (news && m_watch.result) SVC_CHECK(collector.read_on(batch));
  return false;
}

Result<void> Runner::finish_batch(Collector& collector, JournalBatch& batch,
                                  const BatchState& state) {
  SVC_TRY(missing, collector.read_all(batch));
  const bool ended_early = state.was_cancelled || has_expired(state);
  for (int look = 0; missing > state.cancelled && !ended_early && look < k_looks_for_missing;
       ++look) {
    SVC_CHECK(m_clock.sleep(m_options.poll_interval.value_or(k_first_pause)));
    SVC_TRY(still, collector.read_all(batch));
    missing = still;
  }
  if (missing > 0) {
    const bool expired = has_expired(state);
    const std::string why =
        expired                         ? "the batch expired"
        : !state.cancel_message.empty() ? "the service cancelled the batch: " + state.cancel_message
        : state.was_cancelled || state.cancelled > 0 ? "the batch was cancelled"
                                                     : "the service gave no result";
    const bool cancelled = state.was_cancelled || state.cancelled > 0;
    SVC_CHECK(
        m_journal->give_up(batch.number, cancelled ? Outcome::Cancelled : Outcome::Unknown, why));
  }
  batch.stage = BatchStage::Collected;
  return m_journal->save_batch(batch);
}

/// Cancels what is pending once more is spent than allowed. What is done is kept and collected.
Result<void> Runner::mind_budget(Service& service, std::vector<JournalBatch>& batches) {
  if (m_over_budget) return {};
  std::int64_t spent = 0;
  for (const JournalBatch& batch : batches) spent += batch.cost_ticks;
  if (!m_options.budget.is_used_up(spent)) return {};
  m_over_budget = true;
  SVC_CHECK(m_journal->set_fact("over budget", "yes"));
  m_watch.note(m_options.budget.verdict(spent, "what is pending is cancelled"));
  for (const JournalBatch& batch : batches) {
    if (batch.stage != BatchStage::Collected) SVC_CHECK(service.cancel(batch.remote_id));
  }
  return {};
}

}  // namespace svc::batch
