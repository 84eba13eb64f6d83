#include "operation/chunked_upload.h"

#include "catalogue/catalogue.h"
#include "catalogue/files_fields.h"
#include "operation/runner.h"

namespace svc::cli {

using NewFlags = Flags<catalogue::files::k_initialize_fields>;

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

Result<request::Request> initialize_request(Session& session, const std::string& name,
                                            const std::string& content_type) {
  return prepare_other(
      session, *find_operation("files", "initialize"),
      {{NewFlags::k_name<"name">, name}, {NewFlags::k_name<"content-type">, content_type}});
}

}  // namespace svc::cli
