// Speech synthesis (api 2 §2.3 and §2.4, api 4 §9.6).
#pragma once

#include <vector>

#include "emulator/handler.h"

namespace svc::emulator {

/// POST /v1/tts, GET /v1/tts/voices[/{voice_id}], and the socket /v1/tts.
[[nodiscard]] std::vector<Route> tts_routes();

}  // namespace svc::emulator
