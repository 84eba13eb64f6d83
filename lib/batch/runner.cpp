#include "batch/runner.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "base/files.h"
#include "base/money.h"
#include "base/text.h"
#include "client/api_client.h"

namespace svc::batch {
namespace {

constexpr const char* k_format = "1";

/// The first line in which two descriptions differ, as "then …, now …".
std::string difference(std::string_view then, std::string_view now) {
  const auto before = split(then, '\n');
  const auto after = split(now, '\n');
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    if (before[i] != after[i]) {
      return fmt::format("then '{}', now '{}'", excerpt(before[i], 120), excerpt(after[i], 120));
    }
  }
  return "it was written by another version";
}

std::string shown_input(const RunOptions& options) {
  return options.from_stdin ? "standard input" : shown_path(options.input);
}

Error lines_wrong(const CheckReport& report, const RunOptions& options) {
  const bool guessed = options.from_stdin && options.reading.form != InputForm::Prompts;
  return usage_error(
      fmt::format("{} of {} lines of {} cannot be sent; nothing was sent", report.bad_lines,
                  std::max(report.lines, report.bad_lines), shown_input(options)),
      fmt::format("Mend them, or leave them out with --skip-invalid.{}",
                  guessed ? " Lines of plain text: --input-form txt." : ""));
}

}  // namespace

std::string journal_name(const std::string& input, const Shard& shard) {
  const std::string part =
      shard.count > 1 ? fmt::format(".{}-of-{}", shard.index, shard.count) : "";
  return fmt::format("{}{}.svc-journal", input, part);
}

std::string default_journal(const std::string& input, const Shard& shard,
                            const std::string& state_folder) {
  const std::filesystem::path path(input);
  const std::string name = journal_name(path.filename().string(), shard);
  const std::filesystem::path folder = path.parent_path();
  const bool writable = ::access(folder.empty() ? "." : folder.c_str(), W_OK) == 0;
  if (writable || state_folder.empty()) return (folder / name).string();
  std::error_code ignored;
  const std::string whole = std::filesystem::absolute(path, ignored).string();
  return fmt::format("{}/batches/{:016x}-{}", state_folder, line_hash(whole), name);
}

Runner::Runner(RunOptions options, Connect connect, const Clock& clock, const CancelToken& cancel,
               RunWatch watch)
    : m_options(std::move(options)),
      m_connect(std::move(connect)),
      m_clock(clock),
      m_cancel(cancel),
      m_watch(std::move(watch)) {}

/// Everything that decides what is sent and where, but the input's content.
std::string Runner::description() const {
  return fmt::format("format: {}\nservice: {}\nshard: {} of {}\nskip-invalid: {}\n{}{}", k_format,
                     m_options.destination, m_options.shard.index, m_options.shard.count,
                     m_options.skip_invalid ? "yes" : "no",
                     m_options.jobs ? "one by one: yes\n" : "", m_options.reading.signature());
}

Result<void> Runner::prepare() {
  SVC_TRY(input, Input::open(m_options.input, m_options.reading, shown_input(m_options)));
  m_input.emplace(std::move(input));
  std::error_code none;
  // Open it is all that is needed, and whatever ends the program leaves no copy then.
  if (m_options.from_stdin) std::filesystem::remove(m_options.input, none);
  const bool existed = std::filesystem::exists(m_options.journal, none);
  SVC_TRY(journal, Journal::open(m_options.journal));
  m_journal.emplace(std::move(journal));
  SVC_TRY(known, is_known());
  if (!known) {
    const Result<void> checked = check();
    if (!checked) {
      // Nothing is in it that anybody would want to resume.
      m_journal.reset();
      std::error_code ignored;
      if (!existed) std::filesystem::remove(m_options.journal, ignored);
      return checked;
    }
  }
  m_delivery.emplace(*m_journal, *m_input, m_options.order, m_options.with_input,
                     m_watch.result ? m_watch.result : Delivery::Sink());
  return {};
}

/// Whether the journal holds this very run. One that has sent nothing is simply begun again.
Result<bool> Runner::is_known() {
  SVC_TRY(description_then, m_journal->fact("description"));
  if (!description_then) return false;
  SVC_TRY(digest, m_input->digest());
  SVC_TRY(digest_then, m_journal->fact("input"));
  m_resumed = *description_then == description() && digest_then == digest;
  if (m_resumed) return true;
  SVC_TRY(totals, m_journal->totals());
  if (totals.assigned == 0) {
    SVC_CHECK(m_journal->clear());
    return false;
  }
  const bool finished = totals.done() >= totals.items;
  const std::string hint = fmt::format(
      "{} begin a new run with --journal NEW (everything is sent anew). The journal is {}.",
      finished ? "That run is finished. To send this," : "Run it as before to finish it, or",
      shown_path(m_options.journal));
  if (digest_then != digest) {
    return usage_error(fmt::format("{} has changed since its run began; nothing was sent now",
                                   shown_input(m_options)),
                       hint);
  }
  return usage_error(fmt::format("this run began with other options: {}",
                                 difference(*description_then, description())),
                     hint);
}

Result<void> Runner::check() {
  SVC_TRY(transaction, m_journal->begin());
  RunProgress progress{Phase::Checking, 0, m_input->size(), {}};
  SVC_TRY(report,
          check_input(*m_input, *m_journal, m_options.shard, m_cancel, [&](std::uint64_t position) {
            progress.done = position;
            m_watch.progress(progress);
          }));
  m_report = std::move(report);
  if (m_report.bad_lines > 0 && (!m_options.skip_invalid || m_input->file_fault())) {
    return lines_wrong(m_report, m_options);
  }
  if (m_report.items == 0) {
    return usage_error(fmt::format("there is no request in {}{}", shown_input(m_options),
                                   m_options.shard.count > 1 ? " for this shard" : ""));
  }
  SVC_TRY(digest, m_input->digest());
  SVC_CHECK(m_journal->set_fact("input", digest));
  SVC_CHECK(m_journal->set_fact("description", description()));
  return transaction.commit();
}

/// --retry-failed counts once the results of the round before were handed over: a killed retry is
/// resumed, not begun again.
Result<void> Runner::reopen_failed() {
  SVC_TRY(totals, m_journal->totals());
  SVC_TRY(stopped_by_budget, m_journal->fact("over budget"));
  const bool whole = totals.done() == totals.items;
  SVC_TRY(handed_over, m_journal->fact("handed over"));
  const bool retry = m_options.retry_failed && whole && handed_over == "yes";
  const bool resume_cancelled = stopped_by_budget == "yes";
  if (!retry && !resume_cancelled) return {};
  SVC_TRY(count, m_journal->reopen(retry, true));
  SVC_CHECK(m_journal->set_fact("handed over", "no"));
  SVC_CHECK(m_journal->set_fact("over budget", "no"));
  if (count > 0) m_watch.note(fmt::format("{} requests are sent again", count));
  return {};
}

/// What was spent already may be all there is; and what it bought tells what the rest will cost.
Result<void> Runner::refuse_past_budget() {
  if (!m_options.budget.limit) return {};
  SVC_TRY(totals, m_journal->totals());
  SVC_TRY(unassigned, m_journal->count_unassigned());
  SVC_TRY(over, m_journal->fact("over budget"));
  const std::int64_t due =
      unassigned + (over == "yes" ? totals.cancelled : 0) +
      (m_options.retry_failed && unassigned == 0 ? totals.failed + totals.unknown : 0);
  if (due == 0) return {};
  SVC_CHECK(m_options.budget.may_spend(totals.cost_ticks));
  const std::int64_t paid = totals.succeeded + totals.failed;
  if (totals.cost_ticks == 0 || paid == 0) return {};  // nothing to reckon with
  const std::int64_t each = totals.cost_ticks / paid;
  const std::int64_t left = *m_options.budget.limit - totals.cost_ticks;
  if (each <= left / due) return {};
  return Error{
      Fault::Limited,
      fmt::format("{} requests are left, for about {} by what the others cost, and --max-cost "
                  "leaves {}; nothing more is sent",
                  due, format_ticks(each * due), format_ticks(left)),
      fmt::format("Raise --max-cost to at least {} to go on.",
                  format_ticks(totals.cost_ticks + each * due))};
}

Result<void> Runner::run() {
  SVC_CHECK(refuse_past_budget());
  SVC_CHECK(reopen_failed());
  SVC_TRY(totals, m_journal->totals());
  SVC_TRY(batches, m_journal->batches());
  const bool all_collected =
      std::all_of(batches.begin(), batches.end(),
                  [](const JournalBatch& each) { return each.stage == BatchStage::Collected; });
  if (totals.done() < totals.items || !all_collected) {
    SVC_CHECK(m_options.jobs ? send_directly() : send_in_batches());
  }
  if (m_watch.result) SVC_CHECK(m_delivery->advance());
  SVC_TRY(spent, m_journal->totals());
  if (!m_over_budget) {
    // What is under way has its price, known or not.
    if (m_options.budget.limit && spent.cost_ticks > *m_options.budget.limit) {
      m_watch.note(m_options.budget.verdict(spent.cost_ticks,
                                            "all of it was under way before that was known"));
    }
    return {};
  }
  return m_options.budget.refusal(spent.cost_ticks, "the rest was cancelled");
}

Result<void> Runner::send_in_batches() {
  SVC_TRY(service, m_connect.batches());
  Uploader submitter(
      *m_journal, *m_input, *service, m_clock, m_options.sending,
      [this](std::int64_t sent, std::int64_t items) {
        m_watch.progress({Phase::Sending,
                          static_cast<std::uint64_t>(sent),
                          static_cast<std::uint64_t>(items),
                          {}});
      },
      m_watch.note);
  SVC_CHECK(submitter.run());
  return wait(*service);
}

Result<void> Runner::send_directly() {
  SVC_TRY(way, m_connect.direct());
  DirectSender sender(*m_journal, *m_input, std::move(way), {*m_options.jobs, m_options.budget},
                      [this](const Totals& totals) -> Result<void> {
                        m_watch.progress({Phase::Waiting, static_cast<std::uint64_t>(totals.done()),
                                          static_cast<std::uint64_t>(totals.items), totals});
                        return m_watch.result ? m_delivery->advance() : Result<void>();
                      });
  const Result<void> ended = sender.run();
  if (sender.repeated() > 0) {
    m_watch.note(
        fmt::format("{} were sent before without an answer, and again now", sender.repeated()));
  }
  return ended;
}

Result<void> Runner::deliver(const Delivery::Sink& sink) {
  Delivery delivery(*m_journal, *m_input, m_options.order, m_options.with_input, sink);
  return delivery.advance();
}

}  // namespace svc::batch
