// Speech transcription.
#pragma once

#include <vector>

#include "emulator/handler/handler.h"

namespace svc::emulator {

/// POST /v1/stt and the socket /v1/stt.
[[nodiscard]] std::vector<Route> stt_routes();

}  // namespace svc::emulator
