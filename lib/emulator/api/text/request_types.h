// The types of the text operations' requests.
#pragma once

#include "emulator/json/check.h"

namespace svc::emulator::text {

/// Of POST /v1/chat/completions ("chat"), /v1/responses ("responses") and /v1/responses/compact
/// ("compact").
[[nodiscard]] const Types& request_types();

}  // namespace svc::emulator::text
