// What `svc batches run` is made of beside the library's runner.
#pragma once

#include <string>

#include "base/result.h"
#include "batch/runner.h"
#include "session.h"

namespace svc::cli {

/// The run's options from the flags. Standard input is copied into a private file first.
[[nodiscard]] Result<batch::RunOptions> read_run_options(Session& session);

/// The results file of --output: whole or absent. A file that an earlier round of the same run
/// wrote may be replaced without --force; the journal knows it.
class RunOutput {
 public:
  RunOutput(Session& session, batch::Runner& runner) : m_session(session), m_runner(runner) {}

  /// Whether there is a file to write, not standard output.
  [[nodiscard]] bool is_file() const;
  /// Local when the results could not be written: found out before anything is sent.
  [[nodiscard]] Result<void> examine();
  /// Writes all results.
  [[nodiscard]] Result<void> write();

 private:
  [[nodiscard]] Result<bool> is_ours(const std::string& path);

  Session& m_session;
  batch::Runner& m_runner;
  Replace m_replace = Replace::No;
};

}  // namespace svc::cli
