// Speech synthesis.
#pragma once

#include <vector>

#include "emulator/handler/handler.h"

namespace svc::emulator {

/// POST /v1/tts, GET /v1/tts/voices[/{voice_id}], and the socket /v1/tts.
[[nodiscard]] std::vector<Route> tts_routes();

}  // namespace svc::emulator
