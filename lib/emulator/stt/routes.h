// Speech transcription (api 2 §2.5, §4 and §6; api 4 §9.7 and §9.8).
#pragma once

#include <vector>

#include "emulator/handler.h"

namespace svc::emulator {

/// POST /v1/stt and the socket /v1/stt.
[[nodiscard]] std::vector<Route> stt_routes();

}  // namespace svc::emulator
