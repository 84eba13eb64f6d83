// Laughter, sighs and the like, as an instrument would play them.
#pragma once

#include <string_view>

#include "emulator/sound/pcm.h"

namespace svc::emulator::speech {

/// The noise of an inline tag such as "laugh"; the same each time.
[[nodiscard]] Samples make_noise(std::string_view tag, int rate, double gain);

/// `seconds` of a hum, for words that the speaker cannot read.
[[nodiscard]] Samples make_hum(double seconds, int rate, double gain);

}  // namespace svc::emulator::speech
