// Operations on several IDs, and waiting for several jobs.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "client/api_client.h"
#include "client/job.h"
#include "session/session.h"

namespace svc::cli {

/// Whether the operation accepts several IDs where its path has one.
[[nodiscard]] bool takes_targets(const Operation& operation);

/// Runs such an operation once per ID, in the given order: text output is a line with the ID for
/// each success, JSON an array of the responses. If one fails, the others are still tried.
[[nodiscard]] Result<void> run_each_target(Session& session);

/// How to wait for jobs of one kind.
struct JobKind {
  std::function<JobStatus(const CallReply& reply)>
      look{};  ///< returns a job's state from a response
  /// Returns the line of text for a finished job, and records its cost.
  std::function<std::string(const std::string& id, const std::string& body)> done{};
  PollTimes times{};  ///< of each job; the limit is for all of them
};

/// Waits for several jobs of the operation concurrently, and downloads their files in parallel.
/// Prints each job when it is done; a failed job does not stop the others.
[[nodiscard]] Result<void> wait_for_each(Session& session, const Operation& operation,
                                         std::vector<std::string> ids, JobKind kind);

/// Returns the IDs if the operation waits and was given several.
[[nodiscard]] std::vector<std::string> several_jobs(const Session& session,
                                                    const Operation& operation);

}  // namespace svc::cli
