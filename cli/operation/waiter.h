// Delays between checks of remote jobs: --poll-interval, --wait-timeout, Ctrl-C, progress.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "base/result.h"
#include "client/api_client.h"
#include "client/job.h"
#include "session/session.h"

namespace svc::cli {

/// Describes the job in errors.
struct Waiting {
  std::string timed_out{};  ///< "job_1 was not ready", as in "… within 5 s"
  std::string resume{};     ///< the hint on how to resume
  PollTimes times{};        ///< unless --poll-interval and --wait-timeout are set
};

/// The times with what --poll-interval and --wait-timeout set instead.
[[nodiscard]] PollTimes poll_times(const Session& session, const PollTimes& usual);

/// Calls `is_over` until it returns true, with growing pauses, or those of --poll-interval. Stops
/// waiting, without stopping the job, with Timeout when --wait-timeout has passed and with the
/// token's fault if canceled. Errors say how to resume, if useful. The caller starts the progress
/// line, which is cleared at the end.
[[nodiscard]] Result<void> wait_until(Session& session, const Waiting& waiting,
                                      const std::function<Result<bool>()>& is_over);

/// Implements --wait of an operation that reports progress: repeats the invocation's request until
/// `is_over` returns true or RemoteJob for a response, then prints that response.
[[nodiscard]] Result<void> call_until(
    Session& session, sv label, const Waiting& waiting,
    const std::function<Result<bool>(const std::string& answer)>& is_over);

/// Waits for `time` while updating the progress line; returns the token's fault if canceled.
[[nodiscard]] Result<void> pause_with_progress(Session& session, std::chrono::milliseconds time);

/// Whether the flags, or else the operation's Poll, request waiting for its job.
[[nodiscard]] bool waits(const Session& session, const Operation& operation);

/// Returns the command that continues with the job `id`, including this run's flags about its
/// result.
[[nodiscard]] std::string resume_command(const Session& session, const Operation& job,
                                         const std::string& id);

/// The error of a job that is not done yet.
[[nodiscard]] Error job_not_ready(const Session& session, const Operation& job,
                                  const std::string& id);

/// Adds the profile to `command` if the command line selected one.
[[nodiscard]] std::string with_profile(const Session& session, std::string command);

/// Polls the job `id` of the operation's Poll until it is done, then prints its result.
[[nodiscard]] Result<void> run_wait(Session& session, ApiClient& client, const Operation& operation,
                                    const std::string& id);

}  // namespace svc::cli
