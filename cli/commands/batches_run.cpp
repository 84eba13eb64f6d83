// `svc batches run`: a file of requests, each sent exactly once, and their results.
#include "commands/batches_run.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "base/write_target.h"
#include "batch_view.h"
#include "commands.h"
#include "commands/waiter.h"
#include "print/table.h"
#include "print/text_view.h"
#include "run.h"

namespace svc::cli {
namespace {

using std::chrono::milliseconds;

/// More patience than a person at a terminal has: a rate limit's window passes meanwhile.
constexpr int k_patience = 8;

class Run {
 public:
  explicit Run(Session& session)
      : m_session(session),
        m_progress(session),
        m_table(session.out(), find_operation("batches", "results")->columns) {}

  Result<void> run() {
    SVC_TRY(options, read_run_options(m_session));
    m_options = std::move(options);
    if (m_session.globals().dry_run) return plan();
    m_options.destination = m_session.settings().wants_emulator() ? "emulator" : "";
    if (m_options.destination.empty()) {
      SVC_TRY(base, m_session.base_url(Host::Inference));
      m_options.destination = base;
    }
    batch::Runner runner(
        m_options, [this] { return connect(); }, m_pace, m_session.stop(), watch());
    RunOutput output(m_session, runner);
    SVC_CHECK(prepare_run(runner));
    SVC_CHECK(output.examine());
    const Result<void> ended = runner.run();
    m_session.progress().finish();
    if (!ended && ended.error().fault != Fault::Limited) return explain(ended.error());
    SVC_TRY(totals, runner.totals());
    if (!ended && totals.done() < totals.items && totals.done() == 0) return explain(ended.error());
    if (output.is_file()) {
      SVC_CHECK(output.write());
    } else if (m_session.format() == Format::Text) {
      SVC_CHECK(m_table.finish());
    }
    if (m_session.format() == Format::Json) SVC_CHECK(finish_array());
    SVC_CHECK(m_session.out().flush());
    SVC_CHECK(runner.journal().set_fact("handed over", "yes"));
    if (!ended) return explain(ended.error());
    return verdict(runner, totals);
  }

 private:
  Result<void> prepare_run(batch::Runner& runner) {
    const Result<void> prepared = runner.prepare();
    m_session.progress().finish();
    const batch::CheckReport& report = runner.report();
    for (const batch::LineFault& fault : report.faults) {
      m_session.notices().warning(batch::describe(fault));
    }
    if (report.bad_lines > static_cast<std::int64_t>(report.faults.size())) {
      m_session.notices().warning(fmt::format("{} lines are wrong in all", report.bad_lines));
    }
    if (!prepared) return prepared;
    if (runner.resumed()) {
      m_session.notices().note(
          fmt::format("going on with the run in {}", shown_path(m_options.journal)));
    }
    return {};
  }

  Result<batch::Service*> connect() {
    SVC_TRY(caller, m_session.caller(Host::Inference, k_patience));
    m_caller = std::move(caller);
    SVC_TRY(base, m_session.base_url(Host::Inference));
    request::Inputs inputs;
    inputs.headers = m_session.invocation().inputs.headers;
    SVC_TRY(request, prepare(m_session, *find_operation("batches", "list"), inputs));
    m_service = batch::make_service(*m_caller, base, std::move(request.headers));
    return m_service.get();
  }

  batch::RunWatch watch() {
    batch::RunWatch watch;
    watch.progress = [this](const batch::RunProgress& now) { tell(now); };
    watch.note = [this](const std::string& text) { m_session.notices().note(text); };
    const auto& output = m_session.globals().output;
    if (!output || *output == "-") {
      watch.result = [this](const batch::Finished& finished, sv line) {
        return print(finished, line);
      };
    }
    return watch;
  }

  void tell(const batch::RunProgress& now) {
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

  Result<void> print(const batch::Finished& finished, sv line) {
    switch (m_session.format()) {
      case Format::Text: {
        std::string text =
            finished.json.empty() ? finished.reason : std::move(result_cells(finished.json).back());
        SVC_CHECK(m_table.add_cells({finished.place.id,
                                     std::string(batch::outcome_name(finished.outcome)),
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

  Result<void> finish_array() {
    if (m_session.globals().output && *m_session.globals().output != "-") return {};
    return m_session.write_document(m_document.empty() ? "[]" : m_document + "]");
  }

  /// --dry-run: everything is checked, nothing is remembered.
  Result<void> plan() {
    const auto folder = std::filesystem::temp_directory_path();
    const std::string journal = m_options.journal;
    m_options.journal = (folder / fmt::format("svc-plan-{}", random_uuid())).string();
    Result<void> prepared;
    nlohmann::ordered_json shown;
    {
      batch::Runner runner(
          m_options, [this] { return connect(); }, m_pace, m_session.stop(), watch());
      prepared = prepare_run(runner);
      const batch::CheckReport& report = runner.report();
      const std::int64_t size = m_options.sending.batch_items;
      shown = {{"input", m_options.input},
               {"requests", report.items},
               {"left_out", report.bad_lines},
               {"ids_made", report.made_ids},
               {"bytes", report.bytes},
               {"batches", (report.items + size - 1) / size},
               {"journal", journal}};
    }
    std::error_code ignored;
    std::filesystem::remove(m_options.journal, ignored);
    if (!prepared) return prepared;
    const std::string text = shown.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (m_session.format() != Format::Text) return m_session.write_document(text);
    return print::print_fields(m_session.out(), text);
  }

  Error explain(Error error) {
    if (error.fault == Fault::Usage || error.fault == Fault::ReaderGone) return error;
    const std::string go_on =
        fmt::format("Nothing is lost: the same command goes on from here (journal {}).",
                    shown_path(m_options.journal));
    error.hint = error.hint.empty() ? go_on : error.hint + " " + go_on;
    return error;
  }

  Result<void> verdict(batch::Runner& runner, const batch::Totals& totals) {
    m_session.notices().note(counts_text(totals.succeeded, totals.failed, totals.cancelled,
                                         totals.unknown, totals.cost_ticks));
    if (totals.not_well() == 0) return {};
    SVC_TRY(reasons, runner.journal().reasons());
    return not_all_succeeded(m_session, totals.not_well(), totals.items, reasons,
                             "The same command with --retry-failed sends those again.");
  }

  Session& m_session;
  BatchProgress m_progress;
  print::Table m_table;
  batch::RunOptions m_options{};
  std::unique_ptr<Caller> m_caller{};
  std::unique_ptr<batch::Service> m_service{};
  std::optional<batch::Phase> m_phase{};
  std::string m_document{};
  batch::Pace m_pace{
      .now =
          [] {
            return std::chrono::duration_cast<milliseconds>(
                std::chrono::steady_clock::now().time_since_epoch());
          },
      .sleep = [this](milliseconds time) { return pause_with_progress(m_session, time); },
      .unix_now = unix_now};
};

/// Size and hash of a file, as one word.
Result<std::string> fingerprint(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::uint64_t hash = batch::line_hash({});
  std::uint64_t size = 0;
  std::string buffer(256UL << 10U, '\0');
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || in.gcount() > 0) {
    const sv bytes = sv(buffer).substr(0, static_cast<std::size_t>(in.gcount()));
    hash = batch::line_hash(bytes, hash);
    size += bytes.size();
  }
  if (in.bad()) return system_error(fmt::format("{} cannot be read", shown_path(path)), EIO);
  return fmt::format("{}-{:016x}", size, hash);
}

}  // namespace

bool RunOutput::is_file() const {
  const auto& output = m_session.globals().output;
  return output && *output != "-";
}

Result<bool> RunOutput::is_ours(const std::string& path) {
  SVC_TRY(written, m_runner.journal().fact("output"));
  if (!written) return false;
  SVC_TRY(now, fingerprint(path));
  return *written == now;
}

Result<void> RunOutput::examine() {
  if (!is_file()) return {};
  const std::string& path = *m_session.globals().output;
  m_replace = m_session.globals().force ? Replace::Yes : Replace::No;
  if (m_replace == Replace::No && std::filesystem::is_regular_file(path)) {
    SVC_TRY(ours, is_ours(path));
    if (ours) m_replace = Replace::Yes;
  }
  // Made and thrown away: a folder that cannot be written is found now, not after hours.
  SVC_TRY(trial, AtomicFile::create(path, m_replace));
  (void)trial;
  return {};
}

Result<void> RunOutput::write() {
  const std::string& path = *m_session.globals().output;
  SVC_TRY(file, AtomicFile::create(path, m_replace));
  std::uint64_t hash = batch::line_hash({});
  std::uint64_t size = 0;
  std::string buffer;
  const auto flush = [&]() -> Result<void> {
    hash = batch::line_hash(buffer, hash);
    size += buffer.size();
    const Result<void> written = file.write(buffer);
    buffer.clear();
    return written;
  };
  SVC_CHECK(m_runner.deliver([&](const batch::Finished&, sv line) -> Result<void> {
    buffer += line;
    buffer += '\n';
    return buffer.size() < (1U << 20U) ? Result<void>() : flush();
  }));
  SVC_CHECK(flush());
  // Before the rename: a kill between the two must not make the file a stranger's.
  SVC_CHECK(m_runner.journal().set_fact("output", fmt::format("{}-{:016x}", size, hash)));
  SVC_CHECK(file.commit());
  m_session.notices().note(fmt::format("the results are in {}", shown_path(path)));
  return {};
}

Result<void> run_batches_run(Session& session) {
  return Run(session).run();
}

}  // namespace svc::cli
