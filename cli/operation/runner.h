// The generic runner: builds an operation's request and, depending on flags and catalogue, shows
// it, sends it, streams, lists or waits.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "client/api_client.h"
#include "operation/list.h"
#include "operation/multi_target.h"
#include "operation/plan.h"
#include "operation/waiter.h"
#include "request/build.h"
#include "session/session.h"

namespace svc::cli {

/// Runs the invocation's operation from start to finish.
[[nodiscard]] Result<void> run_operation(Session& session);

/// The base URL of the host; if it is not configured and nothing is to be sent, a variable.
[[nodiscard]] Result<std::string> base_to_show(const Session& session, Host host);

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

/// Asks for confirmation before a destructive request, for approve(). Returns Usage if the user
/// declines or cannot be asked.
[[nodiscard]] Result<void> confirm(Session& session, const request::Request& request);

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

}  // namespace svc::cli
