// The WebSocket side of `svc api`.
#pragma once

#include <string>

#include "base/result.h"
#include "session/session.h"

namespace svc::cli {

/// Opens a WebSocket at `path` of the realtime host: standard input goes out as messages, messages
/// come to standard output. Ends with the input and --linger, or when the service closes; a close
/// that is not normal is an error.
[[nodiscard]] Result<void> run_api_socket(Session& session, const std::string& path);

}  // namespace svc::cli
