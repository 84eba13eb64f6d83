// A bulk run at the command line: the library's runner with progress, results and a verdict. What
// `svc batches run` and `svc chat --each` share.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "batch/runner.h"
#include "operation/batch_view.h"
#include "print/table.h"
#include "session/session.h"

namespace svc::cli {

/// More patience than a person at a terminal has: a rate limit's window passes meanwhile.
inline constexpr int k_bulk_patience = 8;

/// What the flags of any bulk run say: journal, order, what to do about lines that are wrong.
/// `input` is a path or "-": standard input is copied into a private file first. `kind` is a word
/// in the name of a journal that is not that of batches.
[[nodiscard]] Result<batch::RunOptions> read_bulk_options(Session& session,
                                                          const std::string& input,
                                                          const batch::Shard& shard, sv kind = {});

/// What the flags and its name say of the input's form; `lines` is what lines of JSON are.
[[nodiscard]] batch::InputForm read_input_form(const Session& session, const std::string& input,
                                               batch::InputForm lines);

/// Whether the results go into a file, not to standard output.
[[nodiscard]] bool writes_file(const Session& session);

/// The results file of --output: whole or absent. For a table or prompts as input, one whose name
/// ends in .csv or .tsv is that table with a column for the answers. A file that an earlier round of the same run
/// wrote may be replaced without --force; the journal knows it.
class RunOutput {
 public:
  RunOutput(Session& session, const batch::RunOptions& options, batch::Runner& runner)
      : m_session(session), m_options(options), m_runner(runner) {}

  /// Local when the results could not be written: found out before anything is sent.
  [[nodiscard]] Result<void> examine();
  /// Writes all results.
  [[nodiscard]] Result<void> write();

 private:
  [[nodiscard]] Result<bool> is_ours(const std::string& path);

  Session& m_session;
  const batch::RunOptions& m_options;
  batch::Runner& m_runner;
  Replace m_replace = Replace::No;
};

class BulkRun {
 public:
  /// `connect` is asked when the input turned out to be well.
  BulkRun(Session& session, batch::RunOptions options, batch::Runner::Connect connect);

  /// From the input to the verdict; with --dry-run to what would be sent.
  [[nodiscard]] Result<void> run();

  /// What --dry-run tells, as a JSON object: the requests of the input and how they would be sent.
  /// Checks everything, sends nothing and remembers nothing.
  [[nodiscard]] Result<std::string> plan();

 private:
  [[nodiscard]] Result<void> prepare_run(batch::Runner& runner);
  [[nodiscard]] batch::RunWatch watch();
  void tell(const batch::RunProgress& now);
  void record_batches(batch::Runner& runner);
  [[nodiscard]] Result<void> print(const batch::Finished& finished, sv line);
  [[nodiscard]] Result<void> finish_output(RunOutput& output);
  [[nodiscard]] Result<void> finish_array();
  [[nodiscard]] Result<void> print_plan();
  [[nodiscard]] Result<batch::CheckReport> rehearse();
  [[nodiscard]] bool shows_at_once() const;
  [[nodiscard]] Error break_off(Error error);
  [[nodiscard]] Error explain(Error error);
  [[nodiscard]] Result<void> verdict(batch::Runner& runner, const batch::Totals& totals);

  Session& m_session;
  batch::RunOptions m_options;
  std::string m_model;  ///< that prompts go to; "" where each line is a request and names its own
  batch::Runner::Connect m_connect;
  BatchProgress m_progress;
  print::Table m_table;
  std::optional<batch::Phase> m_phase{};
  std::string m_document{};
  batch::Clock m_clock;
};

}  // namespace svc::cli
