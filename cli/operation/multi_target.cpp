// One operation for each of several ids.
#include <fmt/format.h>

#include "base/text.h"
#include "operation/results.h"
#include "operation/runner.h"

namespace svc::cli {
namespace {

/// The path parameter that may be given several times, or null.
const Field* repeated_id(const Operation& operation) {
  for (const Field& field : operation.fields) {
    if (field.in == In::Path && field.repeated) return &field;
  }
  return nullptr;
}

/// "files were not deleted", of `svc files delete`.
std::string not_done(const Operation& operation) {
  const std::string name = command_name(operation);
  const std::vector<sv> words = split(name, ' ');
  const sv verb = words.back();
  return fmt::format("{} were not {}{}", words[words.size() - 2], verb,
                     verb.ends_with('e') ? "d" : "ed");
}

}  // namespace

bool takes_targets(const Operation& operation) {
  return repeated_id(operation) != nullptr;
}

Result<void> run_each_target(Session& session) {
  const Operation& operation = *session.invocation().operation;
  const Field& id = *repeated_id(operation);
  const std::vector<std::string> ids = distinct_values_of(session, id.flag);
  std::vector<request::Request> requests;
  // With no id at all the one request says what is missing.
  for (const std::string& one : ids.empty() ? std::vector<std::string>(1) : ids) {
    const auto inputs =
        ids.empty() ? session.invocation().inputs : inputs_with(session, id.flag, one);
    SVC_TRY(request, prepare(session, operation, inputs));
    requests.push_back(std::move(request));
  }
  if (session.globals().shows_only()) {
    for (const request::Request& request : requests) SVC_CHECK(show(session, request));
    return {};
  }
  SVC_CHECK(confirm(session, requests.front()));
  SVC_TRY(client, open_client(session, requests.front()));
  Results results(session, ids.size());
  Failures failures(session, ids.size(), not_done(operation));
  session.progress().start(fmt::format("svc {}", command_name(operation)), print::Unit::Items,
                           ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    SVC_CHECK(complete_address(session, requests[i]));
    const auto reply = client->call(requests[i]);
    session.progress().update(i + 1);
    if (reply) {
      SVC_CHECK(results.add(reply->body, ids[i] + "\n"));
    } else if (!failures.take(excerpt(ids[i], 80), reply.error())) {
      break;
    }
  }
  session.progress().finish();
  SVC_CHECK(results.finish());
  return failures.verdict();
}

}  // namespace svc::cli
