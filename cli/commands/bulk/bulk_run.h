// A bulk run on the command line: the library's runner with progress, results and exit code. Shared
// by `svc batches run` and `svc chat --each`.
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

/// Retries of a request; more than on a terminal, to outlast a rate limit's window.
inline constexpr int k_bulk_patience = 8;

/// Reads the flags of every bulk run: journal, order, treatment of invalid lines. `input` is a path
/// or "-"; standard input is copied to a private file first. `kind` is part of the journal's name,
/// unless it is for batches.
[[nodiscard]] Result<batch::RunOptions> read_bulk_options(Session& session,
                                                          const std::string& input,
                                                          const batch::Shard& shard, sv kind = {});

/// The format of the input, from the flags and the file name; `lines` is the meaning of JSON Lines.
[[nodiscard]] batch::InputForm read_input_form(const Session& session, const std::string& input,
                                               batch::InputForm lines);

/// Whether the results are saved to a file instead of printed.
[[nodiscard]] bool writes_file(const Session& session);

/// The results file of --output: written completely or not at all. If the input is a table or
/// prompts and the file name ends in .csv or .tsv, the output is that table with answer columns. A
/// file written by an earlier run of the same journal is replaced without --force.
class RunOutput {
 public:
  RunOutput(Session& session, const batch::RunOptions& options, batch::Runner& runner)
      : m_session(session), m_options(options), m_runner(runner) {}

  /// Checks that the results can be written, before anything is sent. Local if not.
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
  /// `connect` is called once the input has been checked.
  BulkRun(Session& session, batch::RunOptions options, batch::Runner::Connect connect);

  /// Runs to completion; with --dry-run, prints the plan instead.
  [[nodiscard]] Result<void> run();

  /// The plan of --dry-run as a JSON object: the requests and how they would be sent. Checks
  /// everything, sends and stores nothing.
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
  std::string m_model;  ///< of prompts; "" if each line is a whole request
  batch::Runner::Connect m_connect;
  BatchProgress m_progress;
  print::Table m_table;
  std::optional<batch::Phase> m_phase{};
  std::string m_document{};
  batch::Clock m_clock;
};

}  // namespace svc::cli
