// `svc files delete ID...`
#include <fmt/format.h>

#include "commands.h"
#include "run.h"
#include "several.h"

namespace svc::cli {

Result<void> run_files_delete(Session& session) {
  const Operation& operation = *session.invocation().operation;
  const std::vector<std::string> ids = values_of(session, "file-id");
  std::vector<request::Request> requests;
  // With no id at all the one request says what is missing.
  for (const std::string& id : ids.empty() ? std::vector<std::string>(1) : ids) {
    const auto inputs =
        ids.empty() ? session.invocation().inputs : inputs_with(session, "file-id", id);
    SVC_TRY(request, prepare(session, operation, inputs));
    requests.push_back(std::move(request));
  }
  if (session.globals().dry_run || session.globals().curl) {
    for (const request::Request& request : requests) SVC_CHECK(show(session, request));
    return {};
  }
  SVC_TRY(agreed, session.confirm(fmt::format(
                      "Delete {}? This cannot be undone.",
                      ids.size() == 1 ? "this file" : fmt::format("these {} files", ids.size()))));
  if (!agreed) return usage_error("not confirmed; nothing was deleted");
  SVC_TRY(caller, session.caller(operation.host));
  Results results(session, ids.size());
  Failures failures(session, ids.size(), "files were not deleted");
  session.progress().start("Deleting files", print::Unit::Items, ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    SVC_CHECK(complete_address(session, requests[i]));
    const auto reply = caller->call(requests[i]);
    session.progress().update(i + 1);
    if (reply) {
      SVC_CHECK(results.add(reply->body, ids[i] + "\n"));
    } else if (!failures.take(ids[i], reply.error())) {
      break;
    }
  }
  SVC_CHECK(results.finish());
  return failures.verdict();
}

}  // namespace svc::cli
