// Runs a file of requests, each sent once, and writes the results.
#include "commands/bulk/bulk_run.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "base/write_target.h"
#include "batch/csv.h"
#include "batch/input.h"
#include "batch/line_reader.h"
#include "batch/result_item.h"
#include "json/document.h"
#include "operation/batch_view.h"
#include "operation/estimate.h"
#include "operation/waiter.h"
#include "print/table.h"
#include "print/text_view.h"
#include "session/cost_tracker.h"

namespace svc::cli {
namespace {

using std::chrono::milliseconds;

std::string sent_model(const batch::InputOptions& reading) {
  if (reading.format == batch::InputFormat::Jsonl) return {};
  const auto& frame = reading.frame;
  const auto body = parse_reply(frame ? frame->before + "0" + frame->after : reading.base_body);
  const auto named = body.is_object() ? body.find("model") : body.end();
  return named != body.end() && named->is_string() ? named->get<std::string>() : reading.model;
}

/// FNV-1a; the result does not depend on how the bytes are split.
std::uint64_t add_hash(std::uint64_t hash, sv bytes) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

constexpr std::uint64_t k_hash_begin = 0xcbf29ce484222325U;

/// The size and hash of a file as one string.
Result<std::string> fingerprint(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::uint64_t hash = k_hash_begin;
  std::uint64_t size = 0;
  std::string buffer(256UL << 10U, '\0');
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || in.gcount() > 0) {
    const sv bytes = sv(buffer).substr(0, static_cast<std::size_t>(in.gcount()));
    hash = add_hash(hash, bytes);
    size += bytes.size();
  }
  if (in.bad()) return system_error(fmt::format("cannot read {}", quote_path(path)), EIO);
  return fmt::format("{}-{:016x}", size, hash);
}

constexpr std::uint64_t k_max_header = 1U << 20U;

char separator_of(std::string_view path) {
  const std::string name = to_lower(path);
  return name.ends_with(".csv") ? ',' : name.ends_with(".tsv") ? '\t' : '\0';
}

/// Adds a column, numbering its name if it is taken.
void add_column(std::vector<std::string>& columns, const std::string& wanted) {
  std::string name = wanted;
  for (int number = 2; std::find(columns.begin(), columns.end(), name) != columns.end(); ++number) {
    name = fmt::format("{}_{}", wanted, number);
  }
  columns.push_back(std::move(name));
}

/// The input of a bulk run as a table, with columns for the answers.
class AnswerTable {
 public:
  /// Nothing unless --output is a table (.csv, .tsv) and the input is a table or a list of prompts.
  /// Local if the input can no longer be read.
  [[nodiscard]] static Result<std::optional<AnswerTable>> open(const batch::RunOptions& options,
                                                               const std::string& output) {
    using InputFormat = batch::InputFormat;
    const InputFormat format = options.reading.format;
    const bool fits =
        format == InputFormat::Csv || format == InputFormat::Tsv || format == InputFormat::Prompts;
    if (!fits || separator_of(output) == 0) return std::optional<AnswerTable>();
    AnswerTable table;
    table.m_name = options.input;
    table.m_read = format == InputFormat::Csv ? ',' : format == InputFormat::Tsv ? '\t' : '\0';
    table.m_write = separator_of(output);
    table.m_input = FileDescriptor(::open(options.input.c_str(), O_RDONLY | O_CLOEXEC));
    if (!table.m_input.is_open()) {
      return system_error(fmt::format("cannot read {}", quote_path(options.input)), errno);
    }
    std::vector<std::string> columns = {"prompt"};
    if (table.m_read != 0) {
      batch::LineReader reader(batch::read_descriptor(table.m_input.get(), options.input),
                               k_max_header, batch::SplitMode::Records);
      batch::Line line;
      SVC_TRY(any, reader.next(line));
      if (any) columns = batch::parse_csv(line.text, table.m_read).cells;
    }
    table.m_columns = columns.size();
    for (const char* added : {"answer", "state", "error"}) add_column(columns, added);
    table.m_header = table.joined(columns);
    return std::optional<AnswerTable>(std::move(table));
  }

  /// The header row.
  [[nodiscard]] const std::string& header() const noexcept { return m_header; }

  /// The row of a result: the answer, if any, the state and the error. `line` is the result as
  /// JSON.
  [[nodiscard]] Result<std::string> row(const batch::Finished& finished, std::string_view line) {
    SVC_TRY(text, batch::read_text_at(m_input, quote_path(m_name), finished.location));
    std::vector<std::string> cells = {text};
    if (m_read != 0) cells = batch::parse_csv(text, m_read).cells;
    cells.resize(m_columns);
    // Partial answers are included: they were billed.
    batch::ResultItem item = batch::read_result_item(line);
    cells.push_back(std::move(item.text));
    cells.emplace_back(batch::outcome_name(finished.outcome));
    cells.push_back(item.reason.empty() ? finished.reason : std::move(item.reason));
    return joined(cells);
  }

 private:
  [[nodiscard]] std::string joined(const std::vector<std::string>& cells) const {
    const std::string special = std::string("\"\n\r") + m_write;
    std::string line;
    for (const std::string& cell : cells) {
      if (&cell != cells.data()) line += m_write;
      if (cell.find_first_of(special) == std::string::npos) {
        line += cell;
      } else {
        line += '"' + replace_all(cell, "\"", "\"\"") + '"';
      }
    }
    return line;
  }

  FileDescriptor m_input{};
  std::string m_name{};
  char m_read = ',';   ///< separator of the input; 0: lines of prompts
  char m_write = ',';  ///< separator of the output
  std::size_t m_columns = 1;
  std::string m_header{};
};

/// Whether the results are saved to a file instead of printed.
bool writes_file(const Session& session) {
  const auto& output = session.globals().output;
  return output && *output != "-";
}

/// The results file of --output: written completely or not at all. If the input is a table or
/// prompts and the file name ends in .csv or .tsv, the output is that table with answer columns. A
/// file written by an earlier run of the same journal is replaced without --force.
class RunOutput {
 public:
  RunOutput(Session& session, const batch::RunOptions& options, batch::Runner& runner)
      : m_session(session), m_options(options), m_runner(runner) {}

  /// Checks that the results can be written, before anything is sent. Local if not.
  [[nodiscard]] Result<void> examine() {
    if (!writes_file(m_session)) return {};
    const std::string& path = *m_session.globals().output;
    m_replace = m_session.globals().replace();
    std::error_code none;
    if (m_replace == Replace::No && std::filesystem::is_regular_file(path, none)) {
      SVC_TRY(ours, is_ours(path));
      if (ours) m_replace = Replace::Yes;
    }
    // A trial file, to detect an unwritable directory now instead of after hours.
    SVC_TRY(trial, AtomicFile::create(path, m_replace));
    (void)trial;
    return {};
  }

  /// Writes all results.
  [[nodiscard]] Result<void> write() {
    const std::string& path = *m_session.globals().output;
    SVC_TRY(file, AtomicFile::create(path, m_replace));
    std::uint64_t hash = k_hash_begin;
    std::uint64_t size = 0;
    std::string buffer;
    const auto flush = [&]() -> Result<void> {
      hash = add_hash(hash, buffer);
      size += buffer.size();
      const Result<void> written = file.write(buffer);
      buffer.clear();
      return written;
    };
    std::optional<AnswerTable> table;
    if (m_session.format() == Format::Text) {
      SVC_TRY(opened, AnswerTable::open(m_options, path));
      table = std::move(opened);
    }
    if (table) buffer = table->header() + "\n";
    SVC_CHECK(m_runner.deliver([&](const batch::Finished& finished, sv line) -> Result<void> {
      if (table) {
        SVC_TRY(row, table->row(finished, line));
        buffer += row;
      } else {
        buffer += line;
      }
      buffer += '\n';
      return buffer.size() < (1U << 20U) ? Result<void>() : flush();
    }));
    SVC_CHECK(flush());
    // Recorded before the rename, so that an interruption between the two does not make the file
    // look like another program's.
    SVC_CHECK(m_runner.journal().set_fact("output", fmt::format("{}-{:016x}", size, hash)));
    SVC_CHECK(file.commit());
    m_session.notices().note(fmt::format("the results are in {}", quote_path(path)));
    return {};
  }

 private:
  Result<bool> is_ours(const std::string& path) {
    SVC_TRY(written, m_runner.journal().fact("output"));
    if (!written) return false;
    SVC_TRY(now, fingerprint(path));
    return *written == now;
  }

  Session& m_session;
  const batch::RunOptions& m_options;
  batch::Runner& m_runner;
  Replace m_replace = Replace::No;
};

class BulkRun {
 public:
  /// `connect` is called once the input has been checked.
  BulkRun(Session& session, batch::RunOptions options, batch::Runner::Connect connect)
      : m_session(session),
        m_options(std::move(options)),
        m_model(sent_model(m_options.reading)),
        m_connect(std::move(connect)),
        m_progress(session),
        m_table(session.out(), print::columns_of(*find_operation("batches", "results"))),
        m_clock{.now =
                    [] {
                      return std::chrono::duration_cast<milliseconds>(
                          std::chrono::steady_clock::now().time_since_epoch());
                    },
                .sleep = [this](milliseconds time) { return pause_with_progress(m_session, time); },
                .unix_now = unix_now} {}

  /// Runs to completion; with --dry-run, prints the plan instead.
  [[nodiscard]] Result<void> run() {
    if (m_session.globals().estimate) return print_bulk_estimate(m_session, m_options);
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
    SVC_CHECK(ask(runner));
    const Result<void> ended = runner.run();
    m_session.progress().finish();
    if (!m_connect.direct) record_batches(runner);
    if (!ended && ended.error().fault != Fault::Limited) {
      if (const auto now = runner.totals(); now && now->done() == now->items && shows_at_once()) {
        SVC_CHECK(runner.journal().set_fact("handed over", "yes"));
      }
      return interrupted(ended.error());
    }
    SVC_TRY(totals, runner.totals());
    if (!ended && totals.done() < totals.items && totals.done() == 0) return explain(ended.error());
    SVC_CHECK(finish_output(output));
    SVC_CHECK(runner.journal().set_fact("handed over", "yes"));
    if (!ended) return explain(ended.error());
    return verdict(runner, totals);
  }

  /// The plan of --dry-run as a JSON object: the requests and how they would be sent. Checks
  /// everything, sends and stores nothing.
  [[nodiscard]] Result<std::string> plan() {
    SVC_TRY(report, dry_run());
    nlohmann::ordered_json shown = {
        {"input", m_options.from_stdin ? "standard input" : m_options.input},
        {"requests", report.items},
        {"left_out", report.invalid_lines},
        {"ids_made", report.generated_ids},
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

 private:
  /// On a terminal, asks once before requests are paid for.
  Result<void> ask(batch::Runner& runner) {
    const bool few = runner.report().items == 1;
    if (!m_session.can_ask() || m_session.globals().yes || runner.is_finished() || few) return {};
    SVC_TRY(estimate, estimate_bulk(m_session, m_options));
    SVC_TRY(agreed, m_session.confirm(fmt::format("{}. Continue?", estimate.words())));
    return agreed ? Result<void>() : usage_error("not confirmed; nothing was sent");
  }

  Result<void> finish_output(RunOutput& output) {
    if (writes_file(m_session)) {
      SVC_CHECK(output.write());
    } else if (m_session.format() == Format::Text) {
      SVC_CHECK(m_table.finish());
    }
    if (m_session.format() == Format::Json) SVC_CHECK(finish_array());
    return m_session.out().flush();
  }

  /// Whether results are printed as they arrive instead of at the end.
  [[nodiscard]] bool shows_at_once() const {
    return !writes_file(m_session) && m_session.format() != Format::Json;
  }

  /// Prints the results so far, then returns the error.
  [[nodiscard]] Error interrupted(Error error) {
    if (error.fault == Fault::ReaderGone) return error;
    const bool shown = m_session.format() == Format::Text && !writes_file(m_session);
    const Result<void> finished = shown ? m_table.finish() : Result<void>();
    return explain(finished ? std::move(error) : finished.error());
  }

  Result<void> prepare_run(batch::Runner& runner) {
    const Result<void> prepared = runner.prepare();
    m_session.progress().finish();
    const batch::CheckReport& report = runner.report();
    for (const batch::LineError& fault : report.errors) {
      m_session.notices().warning(batch::describe(fault));
    }
    if (report.invalid_lines > static_cast<std::int64_t>(report.errors.size())) {
      m_session.notices().warning(fmt::format("{} invalid lines in {}", report.invalid_lines,
                                              report.complete ? "all" : "the part checked"));
    }
    if (!prepared) return prepared;
    if (runner.is_finished()) {
      const auto at = runner.finished_at();
      m_session.notices().note(
          fmt::format("this run {}; nothing was sent. --restart starts over",
                      at ? "finished at " + format_local(*at) : "has already finished"));
    } else if (runner.resumed()) {
      m_session.notices().note(
          fmt::format("resuming the run in {}", quote_path(m_options.journal)));
    }
    return {};
  }

  [[nodiscard]] batch::RunCallbacks watch() {
    batch::RunCallbacks watch;
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
  void record_batches(batch::Runner& runner) {
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

  void tell(const batch::RunProgress& now) {
    if (now.phase == batch::Phase::Waiting) {
      const batch::Totals& totals = now.totals;
      m_progress.update(totals.done(), totals.items, totals.failed, totals.canceled,
                        totals.cost_ticks);
      return;
    }
    if (m_phase != now.phase) {
      m_phase = now.phase;
      const bool checking = now.phase == batch::Phase::Checking;
      m_session.progress().start(checking ? "Checking" : "Sending",
                                 checking ? print::ProgressUnit::Bytes : print::ProgressUnit::Items,
                                 now.total);
    }
    m_session.progress().update(now.done, now.total);
  }

  Result<void> print(const batch::Finished& finished, sv line) {
    switch (m_session.format()) {
      case Format::Text: {
        std::string text =
            finished.json.empty() ? finished.reason : std::move(result_cells(finished.json).back());
        SVC_CHECK(m_table.add_cells({finished.location.id,
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
    if (writes_file(m_session)) return {};
    return m_session.write_document(m_document.empty() ? "[]" : m_document + "]");
  }

  Result<batch::CheckReport> dry_run() {
    std::error_code none;
    auto directory = std::filesystem::temp_directory_path(none);
    if (none) directory = "/tmp";
    const std::string journal = std::exchange(
        m_options.journal, (directory / fmt::format("svc-plan-{}", random_uuid())).string());
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

  Result<void> print_plan() {
    SVC_TRY(text, plan());
    if (m_session.format() != Format::Text) return m_session.write_document(text);
    return print::print_fields(m_session.out(), text);
  }

  [[nodiscard]] Error explain(Error error) {
    if (error.fault == Fault::Usage || error.fault == Fault::ReaderGone) return error;
    add_hint(error, fmt::format("Rerun the command to resume (journal {}).",
                                quote_path(m_options.journal)));
    return error;
  }

  Result<void> verdict(batch::Runner& runner, const batch::Totals& totals) {
    m_session.notices().note(counts_text(totals.succeeded, totals.failed, totals.canceled,
                                         totals.unknown, totals.cost_ticks));
    if (totals.unsuccessful() == 0) return {};
    SVC_TRY(reasons, runner.journal().reasons());
    return batch_failures(m_session, totals.unsuccessful(), totals.items, reasons,
                          "Rerun with --retry-failed to resend them.");
  }

  Session& m_session;
  batch::RunOptions m_options;
  std::string m_model;  ///< of prompts; "" if each line is a whole request
  batch::Runner::Connect m_connect;
  BatchProgress m_progress;
  print::Table m_table;
  std::optional<batch::Phase> m_phase{};
  std::string m_document{};
  batch::Clock m_clock;
};

}  // namespace

Result<void> run_bulk(Session& session, batch::RunOptions options, batch::Runner::Connect connect) {
  return BulkRun(session, std::move(options), std::move(connect)).run();
}

Result<std::string> bulk_plan(Session& session, batch::RunOptions options) {
  return BulkRun(session, std::move(options), {}).plan();
}

}  // namespace svc::cli
