// Shared by the commands that upload large files in chunks.
#pragma once

#include <string>

#include "base/result.h"
#include "client/resumable_upload.h"
#include "request/inputs.h"
#include "session/session.h"

namespace svc::cli {

/// Uploads a file in chunks to the session's service. The caller sets its path, name and type, and
/// whether to save a journal for resuming.
[[nodiscard]] Result<std::string> upload_large(Session& session, ApiClient& client,
                                               ChunkedFile file, const UploadProgress& on_progress);

/// Returns the service's identifier in upload journals, independent of the emulator's port, which
/// changes.
[[nodiscard]] Result<std::string> stored_service(const Session& session);

/// Returns the request that starts such an upload, for --dry-run.
[[nodiscard]] Result<request::Request> initialize_request(Session& session, const std::string& name,
                                                          const std::string& content_type);

}  // namespace svc::cli
