// A bulk run on the command line: the library's runner with progress, results and exit code. Shared
// by `svc batches run` and `svc chat --each`.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "batch/runner.h"
#include "batch/service.h"
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
[[nodiscard]] batch::InputFormat read_input_form(const Session& session, const std::string& input,
                                                 batch::InputFormat lines);

/// What a bulk run sends: a request whose body each item replaces, or batches.
struct BulkRequests {
  std::optional<request::Request> frame{};
  std::optional<batch::ServiceRequests> batches{};
};

/// Runs to completion; with --dry-run, --curl or --estimate, checks everything and shows the
/// requests instead, and stores nothing. `connect` is called once the input has been checked.
[[nodiscard]] Result<void> run_bulk(Session& session, batch::RunOptions options,
                                    batch::Runner::Connect connect, BulkRequests requests);

}  // namespace svc::cli
