// One operation for each of several ids.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "run.h"

namespace svc::cli {
namespace {

/// The path parameter that may be given several times, or null.
const Field* repeated_id(const Operation& operation) {
  for (const Field& field : operation.fields) {
    if (field.in == In::Path && field.repeated) return &field;
  }
  return nullptr;
}

std::string id_of(const request::Inputs& inputs, const Field* id) {
  for (const request::Given& given : inputs.given) {
    if (given.field == id) return given.text;
  }
  return {};
}

/// The inputs of each call: everything that was given, with one id.
std::vector<request::Inputs> one_by_one(const Invocation& invocation, const Field* id) {
  std::vector<request::Inputs> all;
  for (const request::Given& target : invocation.inputs.given) {
    const bool again = std::any_of(all.begin(), all.end(), [&](const request::Inputs& other) {
      return id_of(other, id) == target.text;
    });
    if (target.field != id || again) continue;
    request::Inputs inputs = invocation.inputs;
    std::erase_if(inputs.given, [&](const request::Given& given) {
      return given.field == id && given.text != target.text;
    });
    all.push_back(std::move(inputs));
  }
  return all;
}

/// What concerns one id, and not the way to the service.
bool is_refusal(Fault fault) {
  return fault == Fault::NotFound || fault == Fault::Service || fault == Fault::UnknownOutcome;
}

}  // namespace

bool takes_several(const Invocation& invocation) {
  const Field* id = repeated_id(*invocation.operation);
  if (id == nullptr) return false;
  const auto count = std::count_if(invocation.inputs.given.begin(), invocation.inputs.given.end(),
                                   [&](const request::Given& given) { return given.field == id; });
  return count > 1;
}

Result<void> run_several(Session& session) {
  const Operation& operation = *session.invocation().operation;
  const Field* id = repeated_id(operation);
  const std::vector<request::Inputs> all = one_by_one(session.invocation(), id);
  std::vector<request::Request> requests;
  for (const request::Inputs& inputs : all) {
    SVC_TRY(request, prepare(session, operation, inputs));
    requests.push_back(std::move(request));
  }
  if (session.globals().dry_run || session.globals().curl) {
    for (const request::Request& request : requests) SVC_CHECK(show(session, request));
    return {};
  }
  SVC_CHECK(confirm(session, operation));
  SVC_TRY(caller, open_caller(session, requests.front()));
  std::optional<Error> first;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    SVC_CHECK(complete_address(session, requests[i]));
    const Result<void> done = send(session, *caller, requests[i]);
    if (done) continue;
    Error error = done.error();
    if (error.fault == Fault::ReaderGone) return error;
    error.message = fmt::format("{}: {}", visible(excerpt(id_of(all[i], id), 80), Lines::Escape),
                                error.message);
    if (!is_refusal(error.fault)) return error;
    if (first) session.notices().error(error);
    if (!first) first = std::move(error);
  }
  if (first) return *std::move(first);
  return {};
}

}  // namespace svc::cli
