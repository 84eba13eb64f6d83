#include "live/hang_up.h"

#include "catalogue/catalogue.h"
#include "operation/runner.h"

namespace svc::cli {

Result<void> hang_up(Session& session, const std::string& id) {
  const Operation* operation = find_operation("phone", "hangup");
  request::Inputs inputs;
  inputs.given.push_back({find_field(*operation, "call-id"), id});
  SVC_TRY(request, prepare(session, *operation, inputs));
  SVC_TRY(client, open_client(session, request));
  const Result<CallReply> reply = client->call(request);
  if (!reply && reply.error().fault != Fault::NotFound) return reply.error();
  session.notices().note(reply ? "the call was ended" : std::string(operation->gone));
  return {};
}

}  // namespace svc::cli
