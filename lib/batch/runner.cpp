#include "batch/runner.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "base/counted.h"
#include "base/files.h"
#include "base/text.h"
#include "client/api_client.h"
#include "client/job.h"

namespace svc::batch {

namespace {

/// A finished batch may list its last results with a short delay.
constexpr int k_missing_polls = 3;

/// `text` from shortly before `at` on.
std::string excerpt_around(std::string_view text, std::size_t at) {
  constexpr std::size_t k_before = 30;
  if (at <= k_before) return excerpt(text);
  return "…" + excerpt(text.substr(at - k_before));
}

/// The first line in which two descriptions differ: "the run was started with --model 'a', not
/// 'b'".
std::string difference(std::string_view then, std::string_view now, bool one_by_one) {
  const auto before = split(then, '\n');
  const auto after = split(now, '\n');
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    if (before[i] == after[i]) continue;
    const std::size_t colon = before[i].find(": ");
    std::string_view name = before[i].substr(0, colon);
    if (colon == std::string_view::npos || !after[i].starts_with(name)) break;
    if (name == k_saved_frame) name = "request";
    // In `svc chat --each` the template is the prompt.
    if (name == k_saved_template && one_by_one) name = "prompt";
    const std::string_view old_value = before[i].substr(colon + 2);
    const std::string_view new_value = after[i].substr(std::min(colon + 2, after[i].size()));
    const auto at = static_cast<std::size_t>(std::ranges::mismatch(old_value, new_value).in1 -
                                             old_value.begin());
    return fmt::format("the run was started with {} '{}', not '{}'", name,
                       excerpt_around(old_value, at), excerpt_around(new_value, at));
  }
  return "the run was started with a different set of options";
}

std::string shown_input(const RunOptions& options) {
  return options.from_stdin ? "standard input" : quote_path(options.input);
}

Error invalid_lines_error(const CheckReport& report, const RunOptions& options) {
  const bool guessed = options.from_stdin && options.reading.format != InputFormat::Prompts;
  return usage_error(
      fmt::format("{} of {}{} lines in {} are invalid; {}nothing was sent", report.invalid_lines,
                  report.complete ? "" : "the first ", std::max(report.lines, report.invalid_lines),
                  shown_input(options), report.complete ? "" : "the rest was not checked; "),
      fmt::format("Fix them, or skip them with --skip-invalid.{}",
                  guessed ? " If they are prompts, pass --input-form txt." : ""));
}

}  // namespace

namespace {

constexpr const char* k_journal_ending = ".svc-journal";

/// Everything that determines what is sent and where, except the content of the input. Part of the
/// journal's name: after a change of the wording, journals of unfinished runs are not found.
std::string describe_run(const RunOptions& options) {
  return fmt::format("service: {}\nshard: {} of {}\n{}{}", options.destination, options.shard.index,
                     options.shard.count, options.jobs ? "one by one: yes\n" : "",
                     options.reading.signature());
}

}  // namespace

std::string journal_name(const std::string& input, const Shard& shard) {
  return shard.count > 1 ? fmt::format("{}.{}-of-{}", input, shard.index, shard.count) : input;
}

std::string default_journal_stem(const std::string& input, const Shard& shard,
                                 const std::string& state_directory) {
  const std::filesystem::path path(input);
  const std::string name = journal_name(path.filename().string(), shard);
  const std::filesystem::path directory = path.parent_path();
  const bool writable = ::access(directory.empty() ? "." : directory.c_str(), W_OK) == 0;
  if (writable || state_directory.empty()) return (directory / name).string();
  std::error_code ignored;
  const std::string whole = std::filesystem::absolute(path, ignored).string();
  return fmt::format("{}/batches/{:016x}-{}", state_directory, hash_line(whole), name);
}

std::string journal_path(const RunOptions& options) {
  if (!options.journal.empty()) return options.journal;
  return fmt::format("{}.{:08x}{}", options.journal_stem,
                     hash_line(describe_run(options)) & 0xffffffffU, k_journal_ending);
}

Runner::Runner(RunOptions options, Connect connect, const Clock& clock, const CancelToken& cancel,
               RunCallbacks callbacks)
    : m_options(std::move(options)),
      m_connect(std::move(connect)),
      m_clock(clock),
      m_cancel(cancel),
      m_callbacks(std::move(callbacks)) {}

/// Decides on the default journal. Earlier versions had one journal per input, which belongs to
/// this run if the options are the same.
Result<void> Runner::find_journal() {
  if (m_options.journal.empty()) {
    const std::string path = journal_path(m_options);
    const std::string old_path = m_options.journal_stem + k_journal_ending;
    m_options.journal = path;
    std::error_code none;
    if (!std::filesystem::exists(path, none) && std::filesystem::exists(old_path, none)) {
      SVC_TRY(old, Journal::open(old_path, m_cancel));
      SVC_TRY(saved, old.fact("description"));
      if (saved == describe_run(m_options)) m_options.journal = old_path;
    }
  }
  m_options.sending.scratch = m_options.journal + ".upload.jsonl";
  return {};
}

Result<void> Runner::open_input() {
  SVC_TRY(input, Input::open(m_options.input, m_options.reading, shown_input(m_options)));
  m_input.emplace(std::move(input));
  return {};
}

/// Checks the input, unless the run that the journal belongs to did.
Result<void> Runner::match_or_check(bool existed) {
  if (m_callbacks.make_input) {
    SVC_CHECK(m_callbacks.make_input(existed));
    SVC_CHECK(open_input());
  }
  SVC_TRY(known, matches_journal());
  return known ? Result<void>() : check();
}

Result<void> Runner::prepare() {
  if (!m_callbacks.make_input) SVC_CHECK(open_input());
  std::error_code none;
  // The open file is sufficient, and deleting it now leaves no copy behind however the program
  // ends.
  if (m_options.from_stdin) std::filesystem::remove(m_options.input, none);
  SVC_CHECK(find_journal());
  const bool existed = std::filesystem::exists(m_options.journal, none);
  SVC_TRY(journal, Journal::open(m_options.journal, m_cancel));
  m_journal.emplace(std::move(journal));
  if (Result<void> ready = match_or_check(existed); !ready) {
    // A new journal contains nothing worth resuming.
    m_journal.reset();
    std::error_code ignored;
    if (!existed) std::filesystem::remove(m_options.journal, ignored);
    return ready;
  }
  m_journal->set_fill_callback([this] { return fill_next(*m_input, *m_journal, m_options.shard); });
  m_writer.emplace(*m_journal, *m_input, m_options.live_order, m_options.with_input,
                   m_callbacks.result ? m_callbacks.result : ResultWriter::Sink(),
                   m_callbacks.prepare);
  return m_resumed ? check_finished() : Result<void>();
}

/// Whether the journal belongs to this run. A run that has sent nothing is simply restarted.
Result<bool> Runner::matches_journal() {
  SVC_TRY(saved_description, m_journal->fact("description"));
  if (!saved_description) return false;
  SVC_TRY(totals, m_journal->totals());
  m_stale = m_options.restart || totals.assigned == 0;
  if (m_options.restart) {
    SVC_CHECK(note_unfinished());
    return false;
  }
  SVC_TRY(same_input, has_same_input());
  m_resumed = *saved_description == describe_run(m_options) && same_input;
  if (m_resumed) m_stale = false;
  if (m_resumed || m_stale) return m_resumed;
  return changed_error(!same_input, *saved_description);
}

/// Whether the input is the one that the journal's run has read. Hashes of journals of format 1 are
/// replaced by those that are in use now.
Result<bool> Runner::has_same_input() {
  SVC_TRY(saved, m_journal->fact("input"));
  SVC_TRY(digest, m_input->digest());
  if (saved == digest) return true;
  if (!saved || saved->size() != 64) return false;
  SVC_TRY(sha256, m_input->sha256());
  if (*saved != sha256) return false;
  SVC_TRY(transaction, m_journal->begin());
  SVC_CHECK(m_journal->rehash(
      [this](const ItemLocation& location) { return m_input->hash_at(location); }));
  SVC_CHECK(m_journal->set_fact("input", digest));
  SVC_CHECK(transaction.commit());
  return true;
}

/// For changed input or options, with which the journal's run cannot be resumed.
Error Runner::changed_error(bool input, const std::string& saved_description) {
  const auto all_done = is_all_done();
  if (!all_done) return all_done.error();
  const std::string hint = fmt::format(
      "{}--restart resends everything with the current {}; --journal FILE keeps both runs "
      "(this "
      "journal is {}).",
      *all_done ? "" : "Undo the change to resume the run. ", input ? "input" : "options",
      quote_path(m_options.journal));
  if (input) {
    return usage_error(
        fmt::format("{} has changed since its run began; nothing was sent", shown_input(m_options)),
        hint);
  }
  return usage_error(
      difference(saved_description, describe_run(m_options), m_options.jobs.has_value()), hint);
}

/// --restart may abandon requests that are billed.
Result<void> Runner::note_unfinished() {
  SVC_TRY(totals, m_journal->totals());
  SVC_TRY(all_done, is_all_done());
  if (all_done || totals.assigned == 0) return {};
  m_callbacks.note(fmt::format("the earlier run was not finished: {} of {} requests were sent",
                               totals.assigned, totals.items));
  SVC_TRY(batches, m_journal->batches());
  for (const JournalBatch& batch : batches) {
    if (batch.stage == BatchStage::Collected || batch.remote_id.empty()) continue;
    m_callbacks.note(
        fmt::format("its batch {0} is still running; `svc batches cancel {0}` cancels it",
                    visible(batch.remote_id, Lines::Escape)));
  }
  return {};
}

/// Deletes the earlier run, but remembers its results file, which may be replaced.
Result<void> Runner::discard() {
  SVC_TRY(output, m_journal->fact("output"));
  SVC_CHECK(m_journal->clear());
  return output ? m_journal->set_fact("output", *output) : Result<void>();
}

Result<void> Runner::check() {
  SVC_TRY(transaction, m_journal->begin());
  if (m_stale) SVC_CHECK(discard());
  RunProgress progress{Phase::Checking, 0, m_input->size(), {}};
  SVC_TRY(report, check_input(*m_input, *m_journal, m_options.shard, m_options.skip_invalid,
                              m_cancel, [&](std::uint64_t position) {
                                progress.done = position;
                                m_callbacks.progress(progress);
                              }));
  m_report = std::move(report);
  if (m_report.invalid_lines > 0 && (!m_options.skip_invalid || m_input->file_error())) {
    return invalid_lines_error(m_report, m_options);
  }
  if (m_report.items == 0) {
    return usage_error(fmt::format("no requests in {}{}", shown_input(m_options),
                                   m_options.shard.count > 1 ? " for this shard" : ""));
  }
  SVC_TRY(digest, m_input->digest());
  SVC_CHECK(m_journal->set_fact("input", digest));
  SVC_CHECK(m_journal->set_fact("description", describe_run(m_options)));
  return transaction.commit();
}

Result<bool> Runner::is_all_done() {
  SVC_TRY(totals, m_journal->totals());
  SVC_TRY(batches, m_journal->batches());
  return totals.done() >= totals.items &&
         std::all_of(batches.begin(), batches.end(),
                     [](const JournalBatch& each) { return each.stage == BatchStage::Collected; });
}

/// A killed retry is resumed, not restarted. For individual requests --retry-failed takes effect at
/// once, whatever the state of the earlier run; batches have results to fetch first.
Result<bool> Runner::has_to_retry(const Totals& totals) {
  SVC_TRY(handed_over, m_journal->fact("handed over"));
  if (!m_options.retry_failed) return false;
  if (m_options.jobs) return handed_over != "no";
  return totals.done() == totals.items && handed_over == "yes";
}

Result<void> Runner::check_finished() {
  SVC_TRY(all_done, is_all_done());
  SVC_TRY(totals, m_journal->totals());
  SVC_TRY(retry, has_to_retry(totals));
  SVC_TRY(stopped_by_budget, m_journal->fact("over budget"));
  m_finished = all_done && !(retry && totals.unsuccessful() > 0) && stopped_by_budget != "yes";
  SVC_TRY(at, m_journal->fact("finished"));
  if (at) m_finished_at = parse_integer(*at);
  return {};
}

Result<void> Runner::reopen_failed() {
  SVC_TRY(totals, m_journal->totals());
  SVC_TRY(retry, has_to_retry(totals));
  SVC_TRY(stopped_by_budget, m_journal->fact("over budget"));
  if (!retry && stopped_by_budget != "yes") return {};
  SVC_TRY(count, m_journal->reopen(retry, true));
  SVC_CHECK(m_journal->set_fact("handed over", "no"));
  SVC_CHECK(m_journal->set_fact("over budget", "no"));
  if (count > 0) {
    m_callbacks.note(fmt::format("resending {}", counted(count, "request", "requests")));
  }
  return {};
}

/// Whether something is left to send that the budget refuses.
Result<void> Runner::check_budget() {
  if (!m_options.budget.limit) return {};
  SVC_TRY(totals, m_journal->totals());
  SVC_TRY(unassigned, m_journal->count_unassigned());
  SVC_TRY(over, m_journal->fact("over budget"));
  SVC_TRY(retry, has_to_retry(totals));
  const std::int64_t due = unassigned + (over == "yes" ? totals.canceled : 0) +
                           (retry ? totals.failed + totals.unknown : 0);
  return due == 0 ? Result<void>() : m_options.budget.may_spend(totals.cost_ticks);
}

Result<void> Runner::run() {
  SVC_CHECK(check_budget());
  SVC_CHECK(reopen_failed());
  SVC_TRY(done_before, is_all_done());
  if (!done_before) {
    SVC_CHECK(m_options.jobs ? send_directly() : send_in_batches());
    SVC_CHECK(m_journal->set_fact("finished", std::to_string(m_clock.unix_now())));
  }
  SVC_CHECK(hand_over());
  SVC_TRY(spent, m_journal->totals());
  if (!m_over_budget) {
    // Requests in flight are billed, whether or not their cost is known yet.
    if (m_options.budget.limit && spent.cost_ticks > *m_options.budget.limit) {
      m_callbacks.note(
          m_options.budget.verdict(spent.cost_ticks, "all of it was already in flight"));
    }
    return {};
  }
  return m_options.budget.refusal(spent.cost_ticks, "the rest was canceled");
}

Result<void> Runner::plan(const std::function<Result<void>(std::string body)>& add) {
  SVC_CHECK(reopen_failed());
  if (!m_options.jobs) {
    SVC_TRY(service, m_connect.batches());
    m_holds.emplace(*m_journal, nullptr);
    return submit(*service);
  }
  std::int64_t cursor = 0;
  while (true) {
    SVC_TRY(location, m_journal->next_unassigned(cursor));
    if (!location) return {};
    SVC_TRY(item, m_input->reread(*location));
    SVC_TRY(body, direct_body(item.json));
    SVC_CHECK(add(std::move(body)));
    cursor = location->ordinal;
  }
}

Result<void> Runner::submit(Service& service) {
  return Uploader(
             *m_journal, *m_input, service, *m_holds, m_clock, m_options.sending,
             [this](std::int64_t sent, std::int64_t items) {
               m_callbacks.progress({Phase::Sending,
                                     static_cast<std::uint64_t>(sent),
                                     static_cast<std::uint64_t>(items),
                                     {}});
             },
             m_callbacks.note)
      .run();
}

Result<void> Runner::send_in_batches() {
  SVC_TRY(service, m_connect.batches());
  m_options.sending.drain = m_options.drain;
  m_holds.emplace(*m_journal, m_connect.allowance);
  SVC_CHECK(m_holds->resume());
  bool more = true;
  while (more) {
    SVC_CHECK(m_holds->begin_round());
    SVC_CHECK(submit(*service));
    if (!m_waits_since) m_waits_since = m_clock.now();
    if (m_holds->is_full() && m_holds->assigned() > 0 && !std::exchange(m_rounds_reported, true)) {
      m_callbacks.note(fmt::format("{} sent; the limit lets the rest wait until the cost is known",
                                   counted(m_holds->assigned(), "request was", "requests were")));
    }
    SVC_CHECK(wait(*service));
    SVC_TRY(again, has_more_rounds());
    more = again;
  }
  return {};
}

Result<void> Runner::check_timeout() const {
  if (!m_options.wait_timeout || !m_waits_since) return {};
  if (m_clock.now() - *m_waits_since < *m_options.wait_timeout) return {};
  return Error{Fault::Timeout,
               fmt::format("timed out after {}", format_duration(*m_options.wait_timeout)),
               "The batches keep running; rerun the command to wait for them."};
}

/// Once batches are paid for, more may fit in the limit. Limited if not.
Result<bool> Runner::has_more_rounds() {
  if (m_over_budget || !m_holds->is_full()) return false;
  if (m_holds->has_settled()) return true;
  if (m_holds->refusal()) return *m_holds->refusal();
  // Requests of other processes may be cheaper than what is reserved for them.
  SVC_CHECK(check_timeout());
  SVC_CHECK(m_clock.sleep(m_options.poll_interval.value_or(PollTimes().first)));
  return true;
}

Result<void> Runner::send_directly() {
  SVC_TRY(context, m_connect.direct());
  DirectSender sender(
      *m_journal, *m_input, std::move(context),
      {*m_options.jobs, m_options.budget, m_options.retry_failed, m_options.drain},
      [this](const Totals& totals) -> Result<void> {
        m_callbacks.progress({Phase::Waiting, static_cast<std::uint64_t>(totals.done()),
                              static_cast<std::uint64_t>(totals.items), totals});
        return hand_over();
      });
  Result<void> ended = sender.run();
  if (sender.abandoned() > 0) {
    m_callbacks.note(fmt::format(
        "{} in flight when {} and may have run; they {}",
        counted(sender.abandoned(), "request was", "requests were"), sender.ended(),
        m_options.retry_failed ? "were sent again" : "are not sent again without --retry-failed"));
  }
  return ended;
}

Result<void> Runner::deliver(const ResultWriter::Sink& sink) {
  return ResultWriter(*m_journal, *m_input, m_options.order, m_options.with_input, sink,
                      m_callbacks.prepare)
      .advance(Gaps::Skip);
}

/// Emits results that have become available, if that is wanted during the run.
Result<void> Runner::hand_over() {
  if (!m_callbacks.result) return {};
  SVC_CHECK(m_writer->advance());
  return m_callbacks.results_end ? m_callbacks.results_end() : Result<void>();
}

// Waiting: poll the batches, collect results, watch the budget.

void Runner::report_progress() {
  Totals totals;
  for (const auto& [number, state] : m_states) {
    totals.items += state.requests;
    totals.succeeded += state.succeeded;
    totals.failed += state.failed;
    totals.canceled += state.canceled;
    totals.cost_ticks += state.cost_ticks.value_or(0);
  }
  m_callbacks.progress({Phase::Waiting, static_cast<std::uint64_t>(totals.done()),
                        static_cast<std::uint64_t>(totals.items), totals});
}

Result<void> Runner::wait(Service& service) {
  SVC_TRY(batches, m_journal->batches());
  Collector collector(*m_journal, service, [this] { return hand_over(); });
  const PollTimes times = PollTimes().with(m_options.poll_interval, std::nullopt);
  for (milliseconds pause = times.first;; pause = times.after(pause)) {
    bool all = true;
    for (JournalBatch& batch : batches) {
      SVC_TRY(finished, poll(service, collector, batch));
      all = all && finished;
    }
    if (all) break;
    SVC_CHECK(enforce_budget(service, batches));
    SVC_CHECK(check_timeout());
    SVC_CHECK(m_clock.sleep(pause));
  }
  if (collector.foreign_results() > 0) {
    m_callbacks.note(
        "the batches contain requests that are not part of this run; they were ignored");
  }
  return {};
}

/// Checks a batch once; returns true if it is done and collected.
Result<bool> Runner::poll(Service& service, Collector& collector, JournalBatch& batch) {
  if (batch.stage == BatchStage::Collected) return true;
  SVC_TRY(state, service.get(batch.remote_id));
  BatchState& before = m_states[batch.number];
  const bool news = state.succeeded + state.failed > before.succeeded + before.failed;
  before = state;
  if (state.cost_ticks) batch.cost_ticks = *state.cost_ticks;
  report_progress();
  if (state.requests == 0) {
    // The service rejected every item meant for it.
    SVC_TRY(missing, m_journal->count_missing(batch.number));
    if (missing == 0) {
      SVC_CHECK(set_collected(batch));
      return true;
    }
  }
  // The service loads files asynchronously; lines that it drops never appear.
  const bool loading = !batch.file_id.empty() && state.requests < batch.assigned &&
                       !state.was_canceled && m_loading_polls[batch.number]++ < k_missing_polls;
  if (!loading && batch::is_finished(state)) {
    SVC_CHECK(finish_batch(collector, batch, state));
    return true;
  }
  if (news && m_callbacks.result) SVC_CHECK(collector.read_more(batch));
  return false;
}

Result<void> Runner::finish_batch(Collector& collector, JournalBatch& batch,
                                  const BatchState& state) {
  SVC_TRY(missing, collector.read_all(batch));
  const bool ended_early = state.was_canceled || has_expired(state);
  for (int poll = 0; missing > state.canceled && !ended_early && poll < k_missing_polls; ++poll) {
    SVC_CHECK(m_clock.sleep(m_options.poll_interval.value_or(PollTimes().first)));
    SVC_TRY(still, collector.read_all(batch));
    missing = still;
  }
  if (missing > 0) {
    const bool expired = has_expired(state);
    const std::string why =
        expired                         ? "the batch expired"
        : !state.cancel_message.empty() ? "the service canceled the batch: " + state.cancel_message
        : state.was_canceled || state.canceled > 0 ? "the batch was canceled"
                                                   : "the service returned no result";
    const bool canceled = state.was_canceled || state.canceled > 0;
    SVC_CHECK(m_journal->set_missing_outcome(batch.number,
                                             canceled ? Outcome::Canceled : Outcome::Unknown, why));
  }
  return set_collected(batch);
}

Result<void> Runner::set_collected(JournalBatch& batch) {
  batch.stage = BatchStage::Collected;
  SVC_CHECK(m_journal->save_batch(batch));
  if (!m_holds->is_limited()) return {};
  SVC_CHECK(m_holds->settle(batch));
  if (m_callbacks.paid) m_callbacks.paid(batch);
  return {};
}

/// Cancels pending requests once the budget is exceeded. Finished results are kept and collected.
Result<void> Runner::enforce_budget(Service& service, std::vector<JournalBatch>& batches) {
  if (m_over_budget) return {};
  std::int64_t spent = 0;
  for (const JournalBatch& batch : batches) spent += batch.cost_ticks;
  if (!m_options.budget.is_used_up(spent)) return {};
  m_over_budget = true;
  SVC_CHECK(m_journal->set_fact("over budget", "yes"));
  m_callbacks.note(m_options.budget.verdict(spent, "pending requests are being canceled"));
  for (const JournalBatch& batch : batches) {
    if (batch.stage != BatchStage::Collected) SVC_CHECK(service.cancel(batch.remote_id));
  }
  return {};
}

}  // namespace svc::batch
