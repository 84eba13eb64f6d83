#include "operation/chunked_upload.h"

#include "operation/runner.h"

namespace svc::cli {

Result<std::string> upload_large(Session& session, ApiClient& client, ChunkedFile file,
                                 const UploadProgress& on_progress) {
  SVC_TRY(service, stored_service(session));
  SVC_TRY(base, session.base_url(Host::Inference));
  file.service = std::move(service);
  file.base_url = std::move(base);
  file.headers = session.invocation().inputs.headers;
  return upload_in_chunks(client, file, on_progress,
                          [&session](const std::string& text) { session.notices().note(text); });
}

Result<std::string> stored_service(const Session& session) {
  if (session.settings().wants_emulator()) return std::string("emulator");
  return session.base_url(Host::Inference);
}

Result<void> show_upload(Session& session, PlanPrinter& printer, ChunkedFile file,
                         const std::string& name, std::string_view condition) {
  if (const auto base = base_to_show(session, Host::Inference)) file.base_url = *base;
  if (auto service = stored_service(session)) file.service = *std::move(service);
  file.headers = session.invocation().inputs.headers;
  return plan_upload(file, name, [&](request::Step step) {
    if (step.condition.empty()) step.condition = condition;
    return printer.add(std::move(step));
  });
}

}  // namespace svc::cli
