// Collections of documents, and the search in them.
#pragma once

#include <vector>

#include "emulator/handler/handler.h"

namespace svc::emulator {

/// The operations on /v1/collections of the management host, and
/// POST /v1/documents/search of the inference host.
[[nodiscard]] std::vector<Route> collection_routes();

}  // namespace svc::emulator
