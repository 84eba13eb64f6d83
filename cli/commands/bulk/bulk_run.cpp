// Runs a file of requests, each sent once, and writes the results.
#include "commands/bulk/bulk_run.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/counted.h"
#include "base/file_descriptor.h"
#include "base/platform.h"
#include "base/text.h"
#include "base/write_target.h"
#include "batch/csv.h"
#include "batch/input.h"
#include "batch/line_reader.h"
#include "batch/planned_service.h"
#include "batch/result_item.h"
#include "catalogue/bulk_fields.h"
#include "json/document.h"
#include "operation/batch_view.h"
#include "operation/estimate.h"
#include "operation/plan.h"
#include "operation/result_media.h"
#include "operation/waiter.h"
#include "print/jq.h"
#include "print/table.h"
#include "print/text_view.h"
#include "request/flags.h"
#include "session/cost_tracker.h"
#include "terminal/signals.h"

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

/// The member of a plan with the figures of --estimate, for programs.
constexpr const char* k_estimate = "estimate";

/// What SQLite adds to the name of a journal for its files.
constexpr std::array<sv, 2> k_journal_files = {"", "-wal"};

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
  /// Whether --output is a table (.csv, .tsv) and the input is a table or a list of prompts.
  [[nodiscard]] static bool fits(batch::InputFormat format, const std::string& output) {
    using InputFormat = batch::InputFormat;
    const bool rows =
        format == InputFormat::Csv || format == InputFormat::Tsv || format == InputFormat::Prompts;
    return rows && separator_of(output) != 0;
  }

  /// Opens the input of a run for which it fits(). Local if it cannot be read.
  [[nodiscard]] static Result<AnswerTable> open(const batch::RunOptions& options,
                                                const std::string& output) {
    using InputFormat = batch::InputFormat;
    const InputFormat format = options.reading.format;
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
    return table;
  }

  /// The header row.
  [[nodiscard]] const std::string& header() const noexcept { return m_header; }

  /// The row of a result: the answer, if any, the state and the error. `line` is the result as
  /// JSON.
  [[nodiscard]] Result<std::string> row(const batch::Finished& finished) {
    SVC_TRY(text, batch::read_text_at(m_input, quote_path(m_name), finished.location));
    std::vector<std::string> cells = {text};
    if (m_read != 0) cells = batch::parse_csv(text, m_read).cells;
    cells.resize(m_columns);
    // Partial answers are included: they were billed.
    batch::ResultItem item = batch::read_result_item(finished.json);
    cells.push_back(finished.saved.empty() ? std::move(item.text) : finished.saved);
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
  char m_read{};   ///< separator of the input; 0: lines of prompts
  char m_write{};  ///< separator of the output
  std::size_t m_columns{};
  std::string m_header{};
};

/// Applies --jq to the records of a run.
class RecordFilter {
 public:
  /// Nothing without --jq. Session::open() has compiled the program before, so it has no mistakes.
  [[nodiscard]] Result<void> open(const Session& session) {
    if (!session.globals().jq) return {};
    SVC_TRY(filter, print::JqFilter::compile(*session.globals().jq, &session.cancel_token()));
    m_filter.emplace(std::move(filter));
    return {};
  }

  /// Appends what the program makes of a record, or else the record. A program that fails for one
  /// record does not end the run, because the answers are paid: see failure().
  [[nodiscard]] Result<void> append(std::string& text, sv record) {
    if (!m_filter) {
      text.append(record).append("\n");
      return {};
    }
    print::Out out(print::string_sink(text));
    Result<void> ran = m_filter->run(record, out);
    SVC_CHECK(out.flush());
    if (ran || ran.error().fault != Fault::Unexpected) return ran;
    if (!m_failure) m_failure = std::move(ran).error();
    return {};
  }

  [[nodiscard]] bool is_set() const noexcept { return m_filter.has_value(); }
  /// The first failure of the program.
  [[nodiscard]] const std::optional<Error>& failure() const noexcept { return m_failure; }

 private:
  std::optional<print::JqFilter> m_filter{};
  std::optional<Error> m_failure{};
};

/// The results file of --output. During the run it contains what is finished, in order of arrival;
/// at the end it is replaced by all results in the requested order. If the input is a table or
/// prompts and the file name ends in .csv or .tsv, the output is that table with answer columns. A
/// file written by an earlier run of the same journal is replaced without --force.
class RunOutput {
 public:
  RunOutput(Session& session, const batch::RunOptions& options, RecordFilter& filter)
      : m_session(session), m_options(options), m_filter(filter) {}

  /// Checks that the results can be written, before anything is sent. Local if not.
  [[nodiscard]] Result<void> examine(batch::Runner& runner) {
    if (!m_session.globals().has_output_path()) return {};
    const std::string& path = *m_session.globals().output;
    m_replace = m_session.globals().replace();
    std::error_code none;
    if (m_replace == Replace::No && std::filesystem::is_regular_file(path, none)) {
      SVC_TRY(ours, is_ours(runner, path));
      if (ours) m_replace = Replace::Yes;
    }
    SVC_TRY(target, find_write_target(path, m_replace));
    if (target.direct) return {};  // a trial would be the end of what the reader of a pipe gets
    // A trial file, to detect an unwritable directory now instead of after hours.
    if (const auto trial = AtomicFile::create(path, m_replace); !trial) return trial.error();
    m_live = !runner.is_finished();
    return {};
  }

  /// Reads the header of a table's input, before the run deletes its copy of standard input.
  [[nodiscard]] Result<void> open_table() {
    if (!m_session.globals().has_output_path() || m_session.format() != Format::Text) return {};
    const std::string& path = *m_session.globals().output;
    if (!AnswerTable::fits(m_options.reading.format, path)) return {};
    SVC_TRY(opened, AnswerTable::open(m_options, path));
    m_table.emplace(std::move(opened));
    return {};
  }

  /// Adds a result during the run, in order of arrival.
  [[nodiscard]] Result<void> add(const batch::Finished& finished, sv line) {
    if (!m_live) return {};
    m_sorted = m_sorted && finished.location.ordinal > m_last;
    m_last = finished.location.ordinal;
    SVC_CHECK(append(finished, line));
    return m_buffer.size() < k_write_size ? Result<void>() : write_buffer();
  }

  /// Makes the results added so far visible in the file.
  [[nodiscard]] Result<void> end_group(batch::Runner& runner) {
    if (!m_live || (m_buffer.empty() && !m_file)) return {};
    SVC_CHECK(write_buffer());
    if (!m_file) return {};
    SVC_CHECK(commit(runner));
    const std::string& path = *m_session.globals().output;
    m_appended = FileDescriptor(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    if (!m_appended.is_open()) return write_error(path, errno);
    m_replace = Replace::Yes;
    return runner.journal().set_fact(k_live_fact, identity_of(path));
  }

  /// Writes all results so far. `complete`: the run is done, so that all of them were added.
  [[nodiscard]] Result<void> write(batch::Runner& runner, bool complete) {
    const bool sorted = m_sorted || m_options.order == batch::Order::Arrival;
    if (complete && sorted && m_appended.is_open()) {
      SVC_CHECK(runner.journal().set_fact(k_output_fact, fingerprint_so_far()));
    } else {
      m_file.reset();
      m_appended = FileDescriptor();
      m_buffer.clear();
      const Result<void> delivered =
          runner.deliver([&](const batch::Finished& finished, sv line) -> Result<void> {
            SVC_CHECK(append(finished, line));
            return m_buffer.size() < k_write_size ? Result<void>() : write_buffer();
          });
      SVC_CHECK(delivered);
      SVC_CHECK(write_buffer());
      SVC_CHECK(commit(runner));
    }
    m_session.notices().note(fmt::format("the {}results are in {}", complete ? "" : "finished ",
                                         quote_path(*m_session.globals().output)));
    return {};
  }

 private:
  static constexpr std::size_t k_write_size = 1U << 20U;
  static constexpr sv k_output_fact = "output";     ///< size and hash
  static constexpr sv k_live_fact = "live output";  ///< device and inode

  Result<void> append(const batch::Finished& finished, sv line) {
    if (!m_table) return m_filter.append(m_buffer, line);
    SVC_TRY(row, m_table->row(finished));
    m_buffer.append(row).append("\n");
    return {};
  }

  Result<void> write_buffer() {
    const std::string& path = *m_session.globals().output;
    if (!m_appended.is_open() && !m_file) {
      SVC_TRY(file, AtomicFile::create(path, m_replace));
      m_file.emplace(std::move(file));
      m_hash = k_hash_begin;
      m_size = 0;
      if (m_table) m_buffer.insert(0, m_table->header() + "\n");
    }
    m_hash = add_hash(m_hash, m_buffer);
    m_size += m_buffer.size();
    Result<void> written =
        m_file ? m_file->write(m_buffer) : write_all(m_appended.get(), m_buffer, path);
    m_buffer.clear();
    return written;
  }

  Result<void> commit(batch::Runner& runner) {
    // Recorded before the rename, so that an interruption between the two does not make the file
    // look like another program's.
    SVC_CHECK(runner.journal().set_fact(k_output_fact, fingerprint_so_far()));
    SVC_CHECK(m_file->commit());
    m_file.reset();
    return {};
  }

  [[nodiscard]] std::string fingerprint_so_far() const {
    return fmt::format("{}-{:016x}", m_size, m_hash);
  }

  /// Identifies a file that grows during the run, whatever its content.
  static std::string identity_of(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return {};
    return fmt::format("{}-{}", status.st_dev, status.st_ino);
  }

  static Result<bool> is_ours(batch::Runner& runner, const std::string& path) {
    SVC_TRY(live, runner.journal().fact(k_live_fact));
    if (live && !live->empty() && *live == identity_of(path)) return true;
    SVC_TRY(written, runner.journal().fact(k_output_fact));
    if (!written) return false;
    SVC_TRY(now, fingerprint(path));
    return *written == now;
  }

  Session& m_session;
  const batch::RunOptions& m_options;
  RecordFilter& m_filter;
  Replace m_replace = Replace::No;
  std::optional<AnswerTable> m_table{};
  bool m_live{};           ///< results are written as they arrive
  std::string m_buffer{};  ///< rows that are not written yet
  std::optional<AtomicFile> m_file{};
  FileDescriptor m_appended{};  ///< the file at its path, once it is there
  std::uint64_t m_hash{};
  std::uint64_t m_size{};
  std::int64_t m_last{};  ///< ordinal
  bool m_sorted = true;   ///< the results arrived in input order
};

/// The first Ctrl-C while requests are sent: those in flight finish, and no others are sent.
class Drain final : public CancelToken {
 public:
  explicit Drain(print::Notices& notices) : m_notices(notices) {}

  /// From now on; before, Ctrl-C cancels the run.
  void begin() { m_interrupt.emplace(); }

  /// Whoever sends asks about ten times a second, so the first one to know tells the user.
  [[nodiscard]] std::optional<Fault> requested() const noexcept override {
    const auto fault = m_interrupt ? m_interrupt->requested() : std::nullopt;
    if (fault && !std::exchange(m_announced, true)) {
      m_notices.note("finishing the requests in flight; press Ctrl-C again to stop at once");
    }
    return fault;
  }
  [[nodiscard]] int wake_fd() const noexcept override {
    return m_interrupt ? m_interrupt->wake_fd() : -1;
  }

 private:
  print::Notices& m_notices;
  std::optional<FinishOnInterrupt> m_interrupt{};
  mutable bool m_announced = false;
};

/// One run: it opens the input and its journal, runs them, and reports. Sending is batch::Runner's;
/// this holds what the runner's callbacks share, which is the output, the progress and the costs.
class BulkRun {
 public:
  /// `connect` is called once the input has been checked.
  BulkRun(Session& session, batch::RunOptions options, batch::Runner::Connect connect,
          BulkRequests requests)
      : m_session(session),
        m_requests(std::move(requests)),
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
                .sleep = [this](milliseconds time) { return pause(time); },
                .unix_now = unix_now},
        m_output(session, m_options, m_filter),
        m_media(session) {
    m_options.drain = &m_drain;
    // A file has all results at any time, and is sorted at the end.
    m_options.live_order =
        session.globals().has_output_path() ? batch::Order::Arrival : m_options.order;
  }

  /// Runs to completion; with --dry-run, prints the plan instead.
  [[nodiscard]] Result<void> run() {
    if (m_session.globals().estimate) return print_bulk_estimate(m_session, m_options);
    if (m_session.globals().shows_only()) return show();
    SVC_CHECK(set_destination());
    SVC_CHECK(m_filter.open(m_session));
    // What is wrong with the input is reported when it is checked.
    const Result<void> table = m_output.open_table();
    batch::Runner runner(m_options, m_connect, m_clock, m_session.cancel_token(), watch());
    m_runner = &runner;
    SVC_CHECK(prepare_run(runner));
    SVC_CHECK(table);
    SVC_CHECK(m_output.examine(runner));
    SVC_CHECK(m_media.open());
    SVC_CHECK(ask(runner));
    const Result<void> ended = send(runner);
    m_session.progress().finish();
    if (!m_connect.direct) record_batches(runner);
    const Result<batch::Totals> totals = runner.totals();
    if (!totals) return explain(ended ? totals.error() : ended.error());
    const bool all_done = totals->done() == totals->items;
    const std::int64_t left = totals->items - totals->assigned;
    if (!ended && ended.error().fault == Fault::Limited && left > 0 && totals->assigned > 0) {
      m_session.notices().note(fmt::format("{} of {} not sent", left,
                                           counted(totals->items, "request was", "requests were")));
    }
    if (!ended && ended.error().fault != Fault::Limited) {
      if (all_done && (shows_at_once() || m_session.globals().has_output_path())) {
        SVC_CHECK(runner.set_handed_over());
      }
      return interrupted(runner, *totals, ended.error());
    }
    if (!ended && !all_done && totals->done() == 0) return explain(ended.error());
    SVC_CHECK(finish_output(runner, ended.has_value()));
    SVC_CHECK(runner.set_handed_over());
    if (!ended) return explain(ended.error());
    return verdict(runner, *totals);
  }

 private:
  /// On a terminal, asks once before requests are paid for.
  Result<void> ask(batch::Runner& runner) {
    if (!m_session.can_ask() || m_session.globals().yes || runner.is_finished()) return {};
    SVC_TRY(totals, runner.totals());
    if (totals.items == 1) return {};
    SVC_TRY(estimate, estimate_bulk(m_session, m_options, true));
    const std::int64_t left = totals.items - totals.assigned;
    const std::string done =
        totals.assigned == 0 ? std::string() : fmt::format(" ({} not sent yet)", left);
    SVC_TRY(agreed, m_session.confirm(fmt::format("{}{}, {}. Continue?",
                                                  counted(totals.items, "request", "requests"),
                                                  done, estimate.words())));
    return agreed ? Result<void>() : usage_error("not confirmed; nothing was sent");
  }

  /// The number of requests that a person is shown.
  static constexpr std::int64_t k_most_shown = 10;

  /// From this number of requests on, a cheaper way is worth a note.
  static constexpr std::int64_t k_many = 100;

  /// The service that the run belongs to.
  Result<void> set_destination() {
    m_options.destination = m_session.settings().wants_emulator() ? "emulator" : "";
    if (!m_options.destination.empty()) return {};
    SVC_TRY(base, m_session.base_url(Host::Inference));
    m_options.destination = std::move(base);
    return {};
  }

  Result<void> send(batch::Runner& runner) {
    // In `svc mcp`, runs have threads of their own, and signals belong to the server.
    if (!is_main_thread()) return runner.run();
    m_drain.begin();
    return runner.run();
  }

  /// Sleeps; the first Ctrl-C ends it, as nothing is in flight.
  Result<void> pause(milliseconds time) {
    for (milliseconds left = time; left.count() > 0; left -= milliseconds(100)) {
      if (const auto fault = m_drain.requested()) return canceled(*fault);
      SVC_CHECK(pause_with_progress(m_session, std::min(left, milliseconds(100))));
    }
    return {};
  }

  Result<void> finish_output(batch::Runner& runner, bool complete) {
    if (m_session.globals().has_output_path()) {
      SVC_CHECK(m_output.write(runner, complete));
    } else if (m_session.format() == Format::Text) {
      SVC_CHECK(m_table.finish());
    }
    if (m_session.format() == Format::Json) SVC_CHECK(finish_array());
    return m_session.out().flush();
  }

  /// Whether results are printed as they arrive instead of at the end.
  [[nodiscard]] bool shows_at_once() const {
    return !m_session.globals().has_output_path() &&
           (m_session.format() != Format::Json || m_filter.is_set());
  }

  /// Writes the results so far, then returns the error.
  [[nodiscard]] Error interrupted(batch::Runner& runner, const batch::Totals& totals, Error error) {
    if (error.fault == Fault::ReaderGone) return error;
    Result<void> finished;
    if (m_session.globals().has_output_path()) {
      if (totals.done() > 0) finished = m_output.write(runner, false);
    } else if (m_session.format() == Format::Text) {
      finished = m_table.finish();
    }
    if (is_cancellation(error.fault)) {
      m_session.notices().note(fmt::format("{} of {} are done", totals.done(),
                                           counted(totals.items, "request", "requests")));
    }
    return explain(finished ? std::move(error) : finished.error());
  }

  Result<void> prepare_run(batch::Runner& runner) {
    const Result<void> prepared = runner.prepare();
    m_journal = runner.journal_file();
    if (prepared) note_prompt(runner);
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
      m_session.notices().note(fmt::format(
          "resuming the run in {}",
          quote_path(m_copied_journal.empty() ? runner.journal_file() : m_copied_journal)));
    } else if (m_options.jobs && report.items >= k_many) {
      m_session.notices().note(
          fmt::format("as a batch (`svc batches run`), these {} requests cost about half, but may "
                      "take up to a day",
                      report.items));
    }
    return {};
  }

  /// Says which column is the prompt unless the user has, and that nothing of a line is in it.
  void note_prompt(const batch::Runner& runner) {
    m_prompt_column = runner.prompt_column();
    if (runner.is_fixed()) {
      return m_session.notices().note("all requests are the same; {} in the prompt is the line");
    }
    if (m_prompt_column.empty() || !m_options.reading.column.empty()) return;
    m_session.notices().note(fmt::format("the prompt is column '{}'; --column NAME selects another",
                                         shown(m_prompt_column)));
  }

  [[nodiscard]] batch::RunCallbacks watch() {
    batch::RunCallbacks watch;
    watch.progress = [this](const batch::RunProgress& now) { tell(now); };
    watch.note = [this](const std::string& text) { m_session.notices().note(text); };
    watch.paid = [this](const batch::JournalBatch& one) { record(*m_runner, one); };
    watch.prepare = [this](batch::Finished& finished) {
      return m_media.save(m_runner->journal(), finished);
    };
    watch.result = [this](const batch::Finished& finished, sv line) {
      return m_session.globals().has_output_path() ? m_output.add(finished, line)
                                                   : print(finished, line);
    };
    if (m_session.globals().has_output_path())
      watch.results_end = [this] { return m_output.end_group(*m_runner); };
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
    for (const batch::JournalBatch& one : *batches) record(runner, one);
  }

  /// Records the cost of a batch, unless it is as it was.
  void record(batch::Runner& runner, const batch::JournalBatch& one) {
    const auto [known, is_new] = m_recorded.try_emplace(one.number, one.cost_ticks);
    if (!is_new && std::exchange(known->second, one.cost_ticks) == one.cost_ticks) return;
    const auto tokens = runner.journal().tokens(one.number);
    Usage usage = tokens ? *tokens : Usage{};
    usage.cost_ticks = one.cost_ticks;
    record_batch(m_session, one.remote_id, m_model, usage);
  }

  void tell(const batch::RunProgress& now) {
    if (m_session.globals().shows_only() && now.phase != batch::Phase::Checking) return;
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
    if (m_filter.is_set()) {
      std::string text;
      SVC_CHECK(m_filter.append(text, line));
      return m_session.write_foreign(text);
    }
    switch (m_session.format()) {
      case Format::Text: {
        std::string text = !finished.saved.empty() ? finished.saved
                           : finished.json.empty() ? finished.reason
                                                   : std::move(result_cells(finished.json).back());
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
        // The item as the service sent it, or would have sent it in a batch.
        SVC_CHECK(m_session.write_foreign(finished.json + "\n"));
        break;
    }
    return {};
  }

  Result<void> finish_array() {
    if (m_session.globals().has_output_path() || m_filter.is_set()) return {};
    return m_session.write_document(m_document.empty() ? "[]" : m_document + "]");
  }

  /// Shows the requests. The figures about all of them go to standard error.
  Result<void> show() {
    // Before the copy of standard input is gone. Invalid lines are reported below.
    const auto estimate = estimate_bulk(m_session, m_options, false);
    (void)set_destination();  // without a URL, the requests are still shown
    const std::string journal = batch::journal_path(m_options);
    std::error_code none;
    auto directory = std::filesystem::temp_directory_path(none);
    if (none) directory = "/tmp";
    m_options.journal = (directory / fmt::format("svc-plan-{}", random_uuid())).string();
    // What an earlier run has done is not shown again. A run that is going on may add to it.
    std::error_code ignored;
    for (const sv ending : k_journal_files) {
      std::filesystem::copy_file(fmt::format("{}{}", journal, ending),
                                 fmt::format("{}{}", m_options.journal, ending), ignored);
    }
    m_copied_journal = journal;
    Result<void> shown = show_requests(journal, estimate);
    if (!shown) {
      Error& error = shown.error();
      error.hint = replace_all(std::move(error.hint), m_options.journal, journal);
      error.message = replace_all(std::move(error.message), m_options.journal, journal);
    }
    for (const sv ending : k_journal_files) {
      std::filesystem::remove(fmt::format("{}{}", m_options.journal, ending), ignored);
    }
    return shown;
  }

  /// Nothing is sent, so there is nothing to wait for.
  [[nodiscard]] batch::Clock idle_clock() {
    return {.now = [this] { return m_idle_time; },
            .sleep = [this](milliseconds time) -> Result<void> {
              m_idle_time += time;
              return {};
            },
            .unix_now = unix_now};
  }

  Result<void> show_requests(const std::string& journal, const Result<Estimate>& estimate) {
    PlanPrinter printer(m_session);
    batch::PlannedService service(
        m_requests.batches.value_or(batch::ServiceRequests({}, {})),
        [&printer](request::Step step) { return printer.add(std::move(step)); });
    const batch::Clock clock = idle_clock();
    batch::Runner runner(m_options,
                         {.batches = [&service]() -> Result<batch::Service*> { return &service; }},
                         clock, m_session.cancel_token(), watch());
    SVC_CHECK(prepare_run(runner));
    if (m_session.globals().dry_run) {
      SVC_TRY(totals, runner.totals());
      SVC_CHECK(print_figures(runner.report(), totals, journal, estimate));
    }
    const bool text = !m_session.globals().curl && m_session.format() == Format::Text;
    SVC_TRY(begun, batches_to_collect(runner));
    std::int64_t count = 0;
    SVC_CHECK(runner.plan([&](std::string body) -> Result<void> {
      if (++count > k_most_shown && text) return {};
      request::Step step{.request = *m_requests.frame};
      step.request.body = std::move(body);
      return printer.add(std::move(step));
    }));
    if (!m_options.jobs) SVC_CHECK(service.finish(begun));
    SVC_CHECK(printer.finish(true));
    if (text && count > k_most_shown) {
      m_session.notices().note(fmt::format(
          "{} of {} requests are shown; --json and --curl show all", k_most_shown, count));
    }
    return {};
  }

  /// The IDs of an earlier run's batches whose results are not all here.
  [[nodiscard]] static Result<std::vector<std::string>> batches_to_collect(batch::Runner& runner) {
    SVC_TRY(batches, runner.journal().batches());
    std::vector<std::string> ids;
    for (const batch::JournalBatch& one : batches) {
      if (one.stage != batch::BatchStage::Collected && !one.remote_id.empty()) {
        ids.push_back(one.remote_id);
      }
    }
    return ids;
  }

  /// Prints how many requests there are, how they would be sent and what they may cost.
  Result<void> print_figures(const batch::CheckReport& report, const batch::Totals& totals,
                             const std::string& journal, const Result<Estimate>& estimate) {
    OrderedJson shown = {{"input", m_options.from_stdin ? "standard input" : m_options.input},
                         {"requests", totals.items}};
    if (totals.assigned > 0) shown["not_sent_yet"] = totals.items - totals.assigned;
    if (!m_model.empty()) shown["model"] = m_model;
    if (!m_prompt_column.empty()) shown["prompt_column"] = m_prompt_column;
    shown["invalid_lines_skipped"] = report.invalid_lines;
    shown["ids_generated"] = report.generated_ids;
    shown["bytes"] = report.bytes;
    if (m_options.jobs) {
      shown["concurrent_requests"] = *m_options.jobs;
    } else {
      const std::int64_t size = m_options.sending.batch_items;
      shown["batches"] = (totals.items + size - 1) / size;
    }
    if (estimate && estimate->is_priced()) {
      shown["cost"] = estimate->words() + (totals.assigned > 0 ? " for all requests" : "");
    }
    shown["journal"] = journal;
    OrderedJson words;
    for (const auto& [name, value] : shown.items()) words[replace_all(name, "_", " ")] = value;
    std::string lines;
    print::Out out(print::string_sink(lines));
    SVC_CHECK(print::print_fields(out, compact_json(words)));
    SVC_CHECK(out.flush());
    if (estimate && estimate->is_priced()) {
      shown[k_estimate] = parse_reply_in_order(estimate->json());
    }
    m_session.notices().aside(lines, fmt::format(R"({{"plan":{}}})", compact_json(shown)));
    return {};
  }

  [[nodiscard]] Error explain(Error error) {
    if (error.fault == Fault::Usage || error.fault == Fault::ReaderGone) return error;
    // With a limit used up, the same command would end again, and pending requests were canceled.
    const bool limited = error.fault == Fault::Limited;
    add_hint(error,
             fmt::format("{}{} (journal {}).",
                         m_connect.direct || limited ? "" : "Submitted batches keep running. ",
                         limited ? "Rerun the command to resume" : resume_hint(),
                         quote_path(m_journal)));
    return error;
  }

  /// The command that resumes the run; a header may be a secret, and is not repeated.
  [[nodiscard]] std::string resume_hint() const {
    const request::Inputs& inputs = m_session.inputs();
    const Globals& globals = m_session.globals();
    if (!inputs.headers.empty() || inputs.body || !inputs.sets.empty()) {
      return "Rerun the command (without --restart) to resume";
    }
    std::string command =
        fmt::format("svc {}", command_name(*m_session.invocation().operation, true));
    for (const request::Given& given : inputs.given) {
      if (given.field->flag == Flags<catalogue::k_bulk_fields>::k_name<"restart">) continue;
      const bool on = given.field->kind == Kind::Boolean;
      if (on) {
        command += fmt::format(" --{}{}", given.text == "false" ? "no-" : "", given.field->flag);
      } else {
        command += given.field->positional ? "" : fmt::format(" --{}", given.field->flag);
        command += " " + shell_quote(given.text);
      }
    }
    for (const auto& [name, value] : globals.settings) {
      if (!globals.by_ending || name != "format") {
        command += fmt::format(" --{} {}", name, shell_quote(value));
      }
    }
    return fmt::format("Resume {}with: {}", m_options.from_stdin ? "on the same input " : "",
                       command);
  }

  Result<void> verdict(batch::Runner& runner, const batch::Totals& totals) {
    m_session.notices().note(counts_text(totals.succeeded, totals.failed, totals.canceled,
                                         totals.unknown, totals.cost_ticks));
    if (totals.unsuccessful() == 0) {
      const auto& failure = m_media.failure() ? m_media.failure() : m_filter.failure();
      return failure ? Result<void>(*failure) : Result<void>();
    }
    SVC_TRY(reasons, runner.journal().reasons());
    return batch_failures(m_session, totals.unsuccessful(), totals.items, reasons,
                          "Rerun with --retry-failed to resend them.");
  }

  Session& m_session;
  BulkRequests m_requests;
  batch::RunOptions m_options;
  std::string m_journal{};         ///< path
  std::string m_copied_journal{};  ///< path of the one that a plan reads a copy of; else ""
  std::string m_prompt_column{};   ///< of a table
  std::string m_model;             ///< of prompts; "" if each line is a whole request
  batch::Runner::Connect m_connect;
  BatchProgress m_progress;
  print::Table m_table;
  std::optional<batch::Phase> m_phase{};
  std::string m_document{};
  batch::Clock m_clock;
  milliseconds m_idle_time{};  ///< of idle_clock()
  Drain m_drain{m_session.notices()};
  RecordFilter m_filter{};
  RunOutput m_output;
  std::map<std::int64_t, std::int64_t> m_recorded{};  ///< ticks by batch
  ResultMedia m_media;
  batch::Runner* m_runner = nullptr;
};

}  // namespace

Result<void> run_bulk(Session& session, batch::RunOptions options, batch::Runner::Connect connect,
                      BulkRequests requests) {
  return BulkRun(session, std::move(options), std::move(connect), std::move(requests)).run();
}

}  // namespace svc::cli
