// The operations on files.
#pragma once

#include <vector>

#include "emulator/handler/handler.h"

namespace svc::emulator {

/// POST and GET /v1/files; GET, PUT and DELETE /v1/files/{file_id}; its content, public URL and the
/// end of that; POST /v1/files:initialize and :uploadChunks; GET of a public URL, without a key.
[[nodiscard]] std::vector<Route> file_routes();

}  // namespace svc::emulator
