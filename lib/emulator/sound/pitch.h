// How high a voice is.
#pragma once

#include "emulator/sound/pcm.h"

namespace svc::emulator::speech {

/// The median pitch of voiced sound at 16 kHz, in Hz; 0 when there is too little.
[[nodiscard]] double pitch_of(SampleView samples);

}  // namespace svc::emulator::speech
