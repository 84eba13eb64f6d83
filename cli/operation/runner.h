// The generic runner: builds an operation's request and, depending on flags and catalogue, shows
// it, sends it, streams, lists or waits.
#pragma once

#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "client/api_client.h"
#include "client/job.h"
#include "json/document.h"
#include "request/inputs.h"
#include "session/session.h"

namespace svc::print {
class Table;
}

namespace svc::cli {

/// Runs the invocation's operation from start to finish.
[[nodiscard]] Result<void> run_operation(Session& session);

/// Builds the request of `operation` from these inputs. If no base URL is configured and nothing is
/// to be sent, the URL contains a variable in its place. `adjust` may change the inputs last.
[[nodiscard]] Result<request::Request> prepare(
    Session& session, const Operation& operation, const request::Inputs& inputs,
    const std::function<void(request::BuildContext&)>& adjust = {});

/// Prepares the invocation's request, and prints its warnings.
[[nodiscard]] Result<request::Request> prepare_own(Session& session);

/// Prepares the request of another operation, with these values and this run's headers.
[[nodiscard]] Result<request::Request> prepare_other(
    Session& session, const Operation& operation,
    std::initializer_list<std::pair<sv, std::string>> values);

/// Opens a client for the host of a prepared request with a complete URL.
[[nodiscard]] Result<std::unique_ptr<ApiClient>> open_client(Session& session,
                                                             request::Request& request);

/// Completes the URL of a prepared request: the emulator's, once it runs, and the team ID, if it
/// must be looked up.
[[nodiscard]] Result<void> complete_address(Session& session, request::Request& request);

/// Asks for confirmation before a destructive request. Returns Usage if the user declines or cannot
/// be asked.
[[nodiscard]] Result<void> confirm(Session& session, const request::Request& request);

/// Whether the operation accepts several IDs where its path has one.
[[nodiscard]] bool takes_targets(const Operation& operation);

/// Runs such an operation once per ID, in the given order: text output is a line with the ID for
/// each success, JSON an array of the responses. If one fails, the others are still tried.
[[nodiscard]] Result<void> run_each_target(Session& session);

/// --dry-run and --curl.
[[nodiscard]] Result<void> show(Session& session, const request::Request& request);

/// Sends a prepared request and prints its response, streamed or whole.
[[nodiscard]] Result<void> send(Session& session, ApiClient& client,
                                const request::Request& request);

/// Prepares and sends the invocation's request and returns the response, for a command that
/// processes it; nothing if the request was only shown. `label` is shown with the progress; empty:
/// the command's name.
[[nodiscard]] Result<std::optional<std::string>> fetch_answer(Session& session, sv label = {});

/// Returns the job ID if a submission returned a job instead of an answer.
[[nodiscard]] std::optional<std::string> submitted_job(const Operation& operation,
                                                       const std::string& body);

/// Finishes a submission that created the job `id` (`body` is the service's response): waits for it
/// if the flags request that; otherwise prints the ID, and on standard error the command that
/// resumes.
[[nodiscard]] Result<void> finish_submission(Session& session, ApiClient& client,
                                             const Operation& operation, const std::string& id,
                                             const std::string& body);

/// Prints a whole response in the session's format, then returns the error of an unsuccessful one.
/// Records the cost; `job` is the ID by which the response was fetched.
[[nodiscard]] Result<void> print_answer(Session& session, const Operation& operation,
                                        const std::string& body, sv job = {});

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

/// How to wait for jobs of one kind.
struct JobKind {
  std::function<JobStatus(const CallReply& reply)>
      look{};  ///< returns a job's state from a response
  /// Returns the line of text for a finished job, and records its cost.
  std::function<std::string(const std::string& id, const std::string& body)> done{};
  std::chrono::milliseconds first{1'000};  ///< delays between checks of one job; they grow
  std::chrono::milliseconds most{10'000};
};

/// Waits for several jobs of the operation concurrently, and downloads their files in parallel.
/// Prints each job when it is done; a failed job does not stop the others.
[[nodiscard]] Result<void> wait_for_each(Session& session, const Operation& operation,
                                         std::vector<std::string> ids, JobKind kind);

/// Returns the IDs if the operation waits and was given several.
[[nodiscard]] std::vector<std::string> several_jobs(const Session& session,
                                                    const Operation& operation);

/// Writes a list as one array or one item per line, depending on the format. Not for Format::Text
/// and Raw.
[[nodiscard]] Result<void> write_list(Session& session, std::span<const sv> items);

/// Calls the operation's tool with JSON-RPC and prints its output.
[[nodiscard]] Result<void> run_tool(Session& session, ApiClient& client,
                                    const request::Request& request);

/// Prints a complete list in the session's format: as a table of the operation's columns, one
/// array, or one item per line. `row` converts an item for the table.
[[nodiscard]] Result<void> print_list(
    Session& session, const OrderedJson& items,
    const std::function<OrderedJson(const OrderedJson&)>& row = {});
[[nodiscard]] Result<void> print_list(
    Session& session, const OrderedJson& items, std::span<const print::Column> columns,
    const std::function<OrderedJson(const OrderedJson&)>& row = {});

/// Ends a table, and reports columns that the terminal has no room for.
[[nodiscard]] Result<void> finish_table(Session& session, print::Table& table);

/// Prints a list across its pages; `request` fetches the first one.
[[nodiscard]] Result<void> run_list(Session& session, ApiClient& client, request::Request request);

}  // namespace svc::cli
