// Runs a file of requests, each sent once, and writes the results.
#include "commands/bulk/bulk_run.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "base/write_target.h"
#include "json/document.h"
#include "operation/waiter.h"
#include "print/text_view.h"
#include "session/cost_tracker.h"

namespace svc::cli {

using std::chrono::milliseconds;

namespace {

std::string sent_model(const batch::InputOptions& reading) {
  if (reading.form == batch::InputForm::Jsonl) return {};
  const auto& frame = reading.frame;
  const auto body = parse_reply(frame ? frame->before + "0" + frame->after : reading.base_body);
  const auto named = body.is_object() ? body.find("model") : body.end();
  return named != body.end() && named->is_string() ? named->get<std::string>() : reading.model;
}

/// "2026-11-22 at 21:40:03", in the local time zone.
std::string local_time(std::int64_t unix_seconds) {
  const auto time = static_cast<std::time_t>(unix_seconds);
  std::tm parts{};
  ::localtime_r(&time, &parts);
  std::array<char, 64> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%d at %H:%M:%S", &parts);
  return {text.data(), size};
}

}  // namespace

BulkRun::BulkRun(Session& session, batch::RunOptions options, batch::Runner::Connect connect)
    : m_session(session),
      m_options(std::move(options)),
      m_model(sent_model(m_options.reading)),
      m_connect(std::move(connect)),
      m_progress(session),
      m_table(session.out(), find_operation("batches", "results")->columns),
      m_clock{.now =
                  [] {
                    return std::chrono::duration_cast<milliseconds>(
                        std::chrono::steady_clock::now().time_since_epoch());
                  },
              .sleep = [this](milliseconds time) { return pause_with_progress(m_session, time); },
              .unix_now = unix_now} {}

Result<void> BulkRun::run() {
  if (m_session.globals().dry_run) return print_plan();
  m_options.destination = m_session.settings().wants_emulator() ? "emulator" : "";
  if (m_options.destination.empty()) {
    SVC_TRY(base, m_session.base_url(Host::Inference));
    m_options.destination = base;
  }
  batch::Runner runner(m_options, m_connect, m_clock, m_session.cancel_token(), watch());
  RunOutput output(m_session, m_options, runner);
  SVC_CHECK(prepare_run(runner));
  SVC_CHECK(output.examine());
  const Result<void> ended = runner.run();
  m_session.progress().finish();
  if (!m_connect.direct) record_batches(runner);
  if (!ended && ended.error().fault != Fault::Limited) {
    if (const auto now = runner.totals(); now && now->done() == now->items && shows_at_once()) {
      SVC_CHECK(runner.journal().set_fact("handed over", "yes"));
    }
    return break_off(ended.error());
  }
  SVC_TRY(totals, runner.totals());
  if (!ended && totals.done() < totals.items && totals.done() == 0) return explain(ended.error());
  SVC_CHECK(finish_output(output));
  SVC_CHECK(runner.journal().set_fact("handed over", "yes"));
  if (!ended) return explain(ended.error());
  return verdict(runner, totals);
}

Result<void> BulkRun::finish_output(RunOutput& output) {
  if (writes_file(m_session)) {
    SVC_CHECK(output.write());
  } else if (m_session.format() == Format::Text) {
    SVC_CHECK(m_table.finish());
  }
  if (m_session.format() == Format::Json) SVC_CHECK(finish_array());
  return m_session.out().flush();
}

/// Whether results are printed as they arrive instead of at the end.
bool BulkRun::shows_at_once() const {
  return !writes_file(m_session) && m_session.format() != Format::Json;
}

/// Prints the results so far, then returns the error.
Error BulkRun::break_off(Error error) {
  if (error.fault == Fault::ReaderGone) return error;
  const bool shown = m_session.format() == Format::Text && !writes_file(m_session);
  const Result<void> finished = shown ? m_table.finish() : Result<void>();
  return explain(finished ? std::move(error) : finished.error());
}

Result<void> BulkRun::prepare_run(batch::Runner& runner) {
  const Result<void> prepared = runner.prepare();
  m_session.progress().finish();
  const batch::CheckReport& report = runner.report();
  for (const batch::LineFault& fault : report.faults) {
    m_session.notices().warning(batch::describe(fault));
  }
  if (report.bad_lines > static_cast<std::int64_t>(report.faults.size())) {
    m_session.notices().warning(fmt::format("{} invalid lines in {}", report.bad_lines,
                                            report.complete ? "all" : "the part checked"));
  }
  if (!prepared) return prepared;
  if (runner.is_finished()) {
    const auto at = runner.finished_at();
    m_session.notices().note(
        fmt::format("this run {}; nothing was sent. --restart starts over",
                    at ? "finished on " + local_time(*at) : "has already finished"));
  } else if (runner.resumed()) {
    m_session.notices().note(fmt::format("resuming the run in {}", shown_path(m_options.journal)));
  }
  return {};
}

batch::RunWatch BulkRun::watch() {
  batch::RunWatch watch;
  watch.progress = [this](const batch::RunProgress& now) { tell(now); };
  watch.note = [this](const std::string& text) { m_session.notices().note(text); };
  if (!writes_file(m_session)) {
    watch.result = [this](const batch::Finished& finished, sv line) {
      return print(finished, line);
    };
  }
  return watch;
}

/// Records the cost of each batch by ID; the rest of the run's cost is added to the first.
void BulkRun::record_batches(batch::Runner& runner) {
  auto batches = runner.journal().batches();
  const auto totals = runner.totals();
  if (!batches || !totals || batches->empty()) return;
  std::int64_t rest = totals->cost_ticks;
  for (const batch::JournalBatch& one : *batches) rest -= one.cost_ticks;
  batches->front().cost_ticks += std::max<std::int64_t>(rest, 0);
  for (const batch::JournalBatch& one : *batches) {
    const auto tokens = runner.journal().tokens(one.number);
    Usage usage = tokens ? *tokens : Usage{};
    usage.cost_ticks = one.cost_ticks;
    record_batch(m_session, one.remote_id, m_model, usage);
  }
}

void BulkRun::tell(const batch::RunProgress& now) {
  if (now.phase == batch::Phase::Waiting) {
    const batch::Totals& totals = now.totals;
    m_progress.update(totals.done(), totals.items, totals.failed, totals.cancelled,
                      totals.cost_ticks);
    return;
  }
  if (m_phase != now.phase) {
    m_phase = now.phase;
    const bool checking = now.phase == batch::Phase::Checking;
    m_session.progress().start(checking ? "Checking" : "Sending",
                               checking ? print::Unit::Bytes : print::Unit::Items, now.total);
  }
  m_session.progress().update(now.done, now.total);
}

Result<void> BulkRun::print(const batch::Finished& finished, sv line) {
  switch (m_session.format()) {
    case Format::Text: {
      std::string text =
          finished.json.empty() ? finished.reason : std::move(result_cells(finished.json).back());
      SVC_CHECK(
          m_table.add_cells({finished.place.id, std::string(batch::outcome_name(finished.outcome)),
                             std::move(text)}));
      break;
    }
    case Format::Json:
      m_document += m_document.empty() ? "[" : ",";
      m_document += line;
      return {};
    case Format::Jsonl:
      SVC_CHECK(m_session.write_document(line));
      break;
    case Format::Raw:
      SVC_CHECK(m_session.write_foreign(std::string(line) + "\n"));
      break;
  }
  return {};
}

Result<void> BulkRun::finish_array() {
  if (writes_file(m_session)) return {};
  return m_session.write_document(m_document.empty() ? "[]" : m_document + "]");
}

Result<batch::CheckReport> BulkRun::rehearse() {
  std::error_code none;
  auto folder = std::filesystem::temp_directory_path(none);
  if (none) folder = "/tmp";
  const std::string journal = std::exchange(
      m_options.journal, (folder / fmt::format("svc-plan-{}", random_uuid())).string());
  Result<void> prepared;
  batch::CheckReport report;
  {
    batch::Runner runner(m_options, m_connect, m_clock, m_session.cancel_token(), watch());
    prepared = prepare_run(runner);
    report = runner.report();
  }
  std::error_code ignored;
  std::filesystem::remove(m_options.journal, ignored);
  m_options.journal = journal;
  if (!prepared) return std::move(prepared).error();
  return report;
}

Result<std::string> BulkRun::plan() {
  SVC_TRY(report, rehearse());
  nlohmann::ordered_json shown = {
      {"input", m_options.from_stdin ? "standard input" : m_options.input},
      {"requests", report.items},
      {"left_out", report.bad_lines},
      {"ids_made", report.made_ids},
      {"bytes", report.bytes}};
  if (m_options.jobs) {
    shown["at_a_time"] = *m_options.jobs;
  } else {
    const std::int64_t size = m_options.sending.batch_items;
    shown["batches"] = (report.items + size - 1) / size;
  }
  shown["journal"] = m_options.journal;
  return compact_json(shown);
}

Result<void> BulkRun::print_plan() {
  SVC_TRY(text, plan());
  if (m_session.format() != Format::Text) return m_session.write_document(text);
  return print::print_fields(m_session.out(), text);
}

Error BulkRun::explain(Error error) {
  if (error.fault == Fault::Usage || error.fault == Fault::ReaderGone) return error;
  const std::string resume =
      fmt::format("Rerun the command to resume (journal {}).", shown_path(m_options.journal));
  error.hint = error.hint.empty() ? resume : error.hint + " " + resume;
  return error;
}

Result<void> BulkRun::verdict(batch::Runner& runner, const batch::Totals& totals) {
  m_session.notices().note(counts_text(totals.succeeded, totals.failed, totals.cancelled,
                                       totals.unknown, totals.cost_ticks));
  if (totals.not_well() == 0) return {};
  SVC_TRY(reasons, runner.journal().reasons());
  return not_all_succeeded(m_session, totals.not_well(), totals.items, reasons,
                           "Rerun with --retry-failed to resend them.");
}

}  // namespace svc::cli
