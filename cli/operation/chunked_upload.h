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

/// How upload_in_pieces() calls the service from here; references must outlive it.
[[nodiscard]] ChunkedTools chunked_tools(
    Session& session, ApiClient& client,
    std::function<void(std::uint64_t sent, std::uint64_t total)> on_progress);

/// The service as the journals of uploads name it: the emulator's port is another one each time.
[[nodiscard]] Result<std::string> stored_service(const Session& session);

/// The call that begins such an upload, for --dry-run.
[[nodiscard]] Result<request::Request> initialize_request(Session& session, const std::string& name,
                                                          const std::string& content_type);

}  // namespace svc::cli
