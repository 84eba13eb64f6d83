// What the commands that upload large files in pieces share.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "client/chunked_upload.h"
#include "request/inputs.h"
#include "session/session.h"

namespace svc::cli {

/// Sends a file in pieces to the session's service: its path, name and type, and whether to
/// remember it, are the caller's.
[[nodiscard]] Result<std::string> upload_large(Session& session, ApiClient& client,
                                               ChunkedFile file, const UploadProgress& on_progress);

/// The service as the journals of uploads name it: the emulator's port is another one each time.
[[nodiscard]] Result<std::string> stored_service(const Session& session);

/// The call that begins such an upload, for --dry-run.
[[nodiscard]] Result<request::Request> initialize_request(Session& session, const std::string& name,
                                                          const std::string& content_type);

}  // namespace svc::cli
