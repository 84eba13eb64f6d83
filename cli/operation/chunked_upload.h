// Shared by the commands that upload large files in chunks.
#pragma once

#include <string>

#include "base/result.h"
#include "client/resumable_upload.h"
#include "operation/plan.h"
#include "session/session.h"

namespace svc::cli {

/// Uploads a file in chunks to the session's service. The caller sets its path, name and type, and
/// whether to save a journal for resuming.
[[nodiscard]] Result<std::string> upload_large(Session& session, ApiClient& client,
                                               ChunkedFile file, const UploadProgress& on_progress);

/// Returns the service's identifier in upload journals, independent of the emulator's port, which
/// changes.
[[nodiscard]] Result<std::string> stored_service(const Session& session);

/// Shows the requests of such an upload, which are sent on `condition`. The file's ID is "$NAME" in
/// what follows.
[[nodiscard]] Result<void> show_upload(Session& session, PlanPrinter& printer, ChunkedFile file,
                                       const std::string& name, std::string_view condition = {});

}  // namespace svc::cli
