// The generic runner: builds the request of an operation and does with it what the flags and the
// catalogue say: show it, call, stream, list, wait.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
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

/// Runs the invocation's operation from begin to end.
[[nodiscard]] Result<void> run_operation(Session& session);

/// The request of `operation` for these inputs. Where no address is configured and nothing is to be
/// sent, its variable stands for it. `adjust` has the last word on what it is made from.
[[nodiscard]] Result<request::Request> prepare(
    Session& session, const Operation& operation, const request::Inputs& inputs,
    const std::function<void(request::BuildContext&)>& adjust = {});

/// The way to the host of a prepared request, whose address is completed.
[[nodiscard]] Result<std::unique_ptr<ApiClient>> open_client(Session& session,
                                                             request::Request& request);

/// Completes the address of a prepared request: the emulator's, which runs by now, and the team's
/// id, where it must be learned.
[[nodiscard]] Result<void> complete_address(Session& session, request::Request& request);

/// Asks before a destructive request. Usage when the answer is no, or nobody can be asked.
[[nodiscard]] Result<void> confirm(Session& session, const request::Request& request);

/// Whether the operation takes several ids where its path names one.
[[nodiscard]] bool takes_targets(const Operation& operation);

/// Runs such an operation once for each id, in the order given: text output is a line with the id
/// for each that went well, JSON an array of the answers. A refusal of one does not keep the others
/// from being tried.
[[nodiscard]] Result<void> run_each_target(Session& session);

/// --dry-run and --curl.
[[nodiscard]] Result<void> show(Session& session, const request::Request& request);

/// Sends a prepared request and prints its answer, as a stream or whole.
[[nodiscard]] Result<void> send(Session& session, ApiClient& client,
                                const request::Request& request);

/// Prepares the invocation's request, sends it and gives the answer, for a command that looks into
/// it; nothing when the request was only shown. `label` stands beside the progress: empty, the
/// command's name.
[[nodiscard]] Result<std::optional<std::string>> fetch_answer(Session& session, sv label = {});

/// The id of a job that a submission gave, when it gave one instead of an answer.
[[nodiscard]] std::optional<std::string> submitted_job(const Operation& operation,
                                                       const std::string& body);

/// Ends a submission that gave the job `id` (`body` is the service's answer): waits for it where
/// the flags ask for that, else prints the id, and on standard error the command that resumes.
[[nodiscard]] Result<void> finish_submission(Session& session, ApiClient& client,
                                             const Operation& operation, const std::string& id,
                                             const std::string& body);

/// Prints a whole answer in the session's format; the error of an answer that is not a success
/// comes after it is printed. What it cost is booked; `job` is the id that it was fetched by.
[[nodiscard]] Result<void> print_answer(Session& session, const Operation& operation,
                                        const std::string& body, sv job = {});

/// Whether the flags, or else the operation's Poll, ask to wait for its job.
[[nodiscard]] bool waits(const Session& session, const Operation& operation);

/// The command that continues with the job `id`, with what this run was told to do about its
/// result.
[[nodiscard]] std::string resume_command(const Session& session, const Operation& job,
                                         const std::string& id);

/// `command` for the same profile as this one, when the command line chose it.
[[nodiscard]] std::string with_profile(const Session& session, std::string command);

/// The time that a flag gives: --poll-interval, --wait-timeout. It was checked when the request was
/// built.
[[nodiscard]] std::optional<std::chrono::milliseconds> duration_flag(const Session& session,
                                                                     sv flag);

/// Polls the job `id` of the operation's Poll until it is done, then prints its result.
[[nodiscard]] Result<void> run_wait(Session& session, ApiClient& client, const Operation& operation,
                                    const std::string& id);

/// How jobs of one kind are waited for.
struct JobKind {
  std::function<JobLook(const CallReply& reply)> look{};  ///< what an answer says of a job
  /// A job that is done, in a line of text; it is recorded as well.
  std::function<std::string(const std::string& id, const std::string& body)> done{};
  std::chrono::milliseconds first{1'000};  ///< pauses between the looks at one job: they grow
  std::chrono::milliseconds most{10'000};
};

/// Waits for several jobs of the operation at once, and downloads their files beside each other.
/// Each is printed when it is done; one that fails does not end the waiting for the others.
[[nodiscard]] Result<void> wait_for_each(Session& session, const Operation& operation,
                                         std::vector<std::string> ids, JobKind kind);

/// Whether the operation is one that waits, and was given several ids: those.
[[nodiscard]] std::vector<std::string> several_jobs(const Session& session,
                                                    const Operation& operation);

/// Writes a list as the format says: one array, or one item per line. Not for Format::Text and Raw.
[[nodiscard]] Result<void> write_list(Session& session, std::span<const sv> items);

/// Calls the operation's tool by JSON-RPC and prints what it says.
[[nodiscard]] Result<void> run_tool(Session& session, ApiClient& client,
                                    const request::Request& request);

/// Prints a list that is at hand as the format says: as a table of the operation's columns, as one
/// array, or an item per line. `row` makes of an item what the table shows of it.
[[nodiscard]] Result<void> print_list(
    Session& session, const OrderedJson& items,
    const std::function<OrderedJson(const OrderedJson&)>& row = {});
[[nodiscard]] Result<void> print_list(
    Session& session, const OrderedJson& items, std::span<const Column> columns,
    const std::function<OrderedJson(const OrderedJson&)>& row = {});

/// Ends a table, and says so when it has columns for which the terminal has no room.
[[nodiscard]] Result<void> finish_table(Session& session, print::Table& table);

/// Prints a list across its pages; `request` asks for the first one.
[[nodiscard]] Result<void> run_list(Session& session, ApiClient& client, request::Request request);

}  // namespace svc::cli
