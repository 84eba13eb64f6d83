#include "operation/chunked_upload.h"

#include "catalogue/catalogue.h"
#include "operation/runner.h"

namespace svc::cli {

ChunkedTools chunked_tools(Session& session, ApiClient& client,
                           std::function<void(std::uint64_t, std::uint64_t)> on_progress) {
  return ChunkedTools{
      .client = client,
      .make = [&session](const Operation& operation,
                         const request::Inputs& inputs) -> Result<request::Request> {
        request::Inputs all = inputs;
        all.headers = session.invocation().inputs.headers;
        SVC_TRY(request, prepare(session, operation, all));
        SVC_CHECK(complete_address(session, request));
        return std::move(request);
      },
      .on_progress = std::move(on_progress),
      .note = [&session](const std::string& text) { session.notices().note(text); }};
}

Result<std::string> stored_service(const Session& session) {
  if (session.settings().wants_emulator()) return std::string("emulator");
  return session.base_url(Host::Inference);
}

Result<request::Request> initialize_request(Session& session, const std::string& name,
                                            const std::string& content_type) {
  const Operation* initialize = find_operation("files", "initialize");
  request::Inputs inputs;
  inputs.headers = session.invocation().inputs.headers;
  inputs.given.push_back({find_field(*initialize, "name"), name});
  inputs.given.push_back({find_field(*initialize, "content-type"), content_type});
  return prepare(session, *initialize, inputs);
}

}  // namespace svc::cli
