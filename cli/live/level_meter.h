// How loud a microphone is, as a bar.
#pragma once

#include <string>

#include "audio/format.h"

namespace svc::cli {

/// From -50 dB to full scale, in twelve cells.
[[nodiscard]] std::string level_meter(audio::Level level, bool utf8);

}  // namespace svc::cli
